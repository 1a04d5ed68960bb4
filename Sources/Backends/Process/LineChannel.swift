import Foundation
import Synchronization

/// Lines out on one descriptor and in on another, each by its deadline.
///
/// Used by one thread at a time; ``interrupt()`` may come from any.
final class LineChannel: Sendable {
    /// In bytes, without its end.
    static let longestLine = 1 << 20

    struct Descriptors {
        let input: Int32
        let output: Int32
        /// Readable once interrupted.
        let woken: Int32
        let waking: Int32
        var isClosed = false
    }

    private let descriptors: Mutex<Descriptors>

    /// - Parameters: descriptors that belong to the channel from now on; writing to `waking` wakes whoever reads it.
    init(input: Int32, output: Int32, waking: (reading: Int32, writing: Int32)) {
        for descriptor in [input, output, waking.writing] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        descriptors = Mutex(
            Descriptors(input: input, output: output, woken: waking.reading, waking: waking.writing))
    }

    deinit { close() }

    /// Ends a call that is under way on another thread.
    func interrupt() {
        descriptors.withLock { descriptors in
            guard !descriptors.isClosed else { return }
            var byte: UInt8 = 1
            _ = write(descriptors.waking, &byte, 1)
        }
    }

    func close() {
        descriptors.withLock { descriptors in
            guard !descriptors.isClosed else { return }
            descriptors.isClosed = true
            for descriptor in [descriptors.input, descriptors.output, descriptors.woken, descriptors.waking] {
                Foundation.close(descriptor)
            }
        }
    }

    /// Sends one line and waits for one line.
    ///
    /// - Throws: ``ProcessFailure``; whatever it was, the two sides may be out of step then. `CancellationError` when
    ///   interrupted.
    func exchange(_ line: [UInt8], by deadline: ContinuousClock.Instant) throws -> [UInt8] {
        let open = descriptors.withLock { $0 }
        guard !open.isClosed else { throw ProcessFailure.ended }
        try requireSilence(open)
        try send(line + [UInt8(ascii: "\n")], open, deadline)
        return try receive(open, deadline)
    }

    /// Nobody was asked, so nothing may be there, and not the end either.
    private func requireSilence(_ open: Descriptors) throws {
        var polled = pollfd(fd: open.input, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 0) != 0 else { return }
        throw polled.revents & Int16(POLLIN) == 0 ? ProcessFailure.ended : .outOfStep
    }

    private func send(_ bytes: [UInt8], _ open: Descriptors, _ deadline: ContinuousClock.Instant) throws {
        blockPipeSignal()
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(open.output, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                try wait(for: open.output, Int16(POLLOUT), open, deadline)
            } else if errno != EINTR {
                throw ProcessFailure.ended
            }
        }
    }

    func receive(_ open: Descriptors, _ deadline: ContinuousClock.Instant) throws -> [UInt8] {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(open.input, $0.baseAddress, $0.count) }
            if count == 0 { throw ProcessFailure.ended }
            if count < 0 {
                guard errno == EAGAIN || errno == EINTR else { throw ProcessFailure.ended }
                try wait(for: open.input, Int16(POLLIN), open, deadline)
                continue
            }
            let bytes = chunk.prefix(count)
            guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
                line += bytes
                guard line.count <= Self.longestLine else { throw ProcessFailure.lineTooLong }
                continue
            }
            line += bytes[..<end]
            guard line.count <= Self.longestLine else { throw ProcessFailure.lineTooLong }
            guard end == bytes.endIndex - 1 else { throw ProcessFailure.garbage(expected: "one line") }
            return line
        }
    }

    private func wait(
        for descriptor: Int32, _ events: Int16, _ open: Descriptors, _ deadline: ContinuousClock.Instant
    ) throws {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { throw ProcessFailure.overdue }
        var polled = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: open.woken, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&polled, 2, Int32(min(left.rounded(.up), 1_000_000)))
        if polled[1].revents != 0 { throw CancellationError() }
    }

    /// Writing to a process that is gone is an error like any other, and no reason to end. The thread is the pool's own.
    private func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
