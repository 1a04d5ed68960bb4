import Foundation
import Synchronization

/// A channel that writes lines to one descriptor and reads lines from another, each with a deadline.
///
/// One thread at a time may use the channel. ``interrupt()`` may be called from any thread.
final class LineChannel: Sendable {
    /// The maximum length of a line in bytes, without its line end.
    static let maxLineLength = 1 << 20

    struct Descriptors {
        let input: Int32
        let output: Int32
        /// The descriptor that becomes readable on an interrupt.
        let wakeupReadEnd: Int32
        let wakeupWriteEnd: Int32
        var isClosed = false
    }

    private let descriptors: Mutex<Descriptors>

    /// Creates a channel that owns the descriptors from now on.
    ///
    /// - Parameters:
    ///   - input: the descriptor that the channel reads from.
    ///   - output: the descriptor that the channel writes to.
    ///   - wakeupWriteEnd: a pipe. Writing to its writing end wakes the thread that waits on its reading end.
    init(input: Int32, output: Int32, wakeupWriteEnd: (reading: Int32, writing: Int32)) {
        for descriptor in [input, output, wakeupWriteEnd.writing] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        }
        descriptors = Mutex(
            Descriptors(
                input: input, output: output, wakeupReadEnd: wakeupWriteEnd.reading,
                wakeupWriteEnd: wakeupWriteEnd.writing))
    }

    deinit { close() }

    /// Interrupts a call in progress on another thread.
    func interrupt() {
        descriptors.withLock { descriptors in
            guard !descriptors.isClosed else { return }
            var byte: UInt8 = 1
            _ = write(descriptors.wakeupWriteEnd, &byte, 1)
        }
    }

    func close() {
        descriptors.withLock { descriptors in
            guard !descriptors.isClosed else { return }
            descriptors.isClosed = true
            for descriptor in [
                descriptors.input, descriptors.output, descriptors.wakeupReadEnd, descriptors.wakeupWriteEnd,
            ] {
                Foundation.close(descriptor)
            }
        }
    }

    /// Sends one line and waits for one line.
    ///
    /// - Throws: ``ProcessFailure``. After any failure the two sides may be out of step. `CancellationError` when
    ///   interrupted.
    func exchange(_ line: [UInt8], by deadline: ContinuousClock.Instant) throws -> [UInt8] {
        let open = descriptors.withLock { $0 }
        guard !open.isClosed else { throw ProcessFailure.ended }
        try requireNoOutput(open)
        try send(line + [UInt8(ascii: "\n")], open, deadline)
        return try receive(open, deadline)
    }

    /// Checks that the input is silent. No request was sent, so there must be no data, and no end of the stream.
    private func requireNoOutput(_ open: Descriptors) throws {
        var polled = pollfd(fd: open.input, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 0) != 0 else { return }
        throw polled.revents & Int16(POLLIN) == 0 ? ProcessFailure.ended : .outOfSync
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
                guard line.count <= Self.maxLineLength else { throw ProcessFailure.lineTooLong }
                continue
            }
            line += bytes[..<end]
            guard line.count <= Self.maxLineLength else { throw ProcessFailure.lineTooLong }
            guard end == bytes.endIndex - 1 else { throw ProcessFailure.malformedResponse(expected: "one line") }
            return line
        }
    }

    private func wait(
        for descriptor: Int32, _ events: Int16, _ open: Descriptors, _ deadline: ContinuousClock.Instant
    ) throws {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { throw ProcessFailure.timedOut }
        var polled = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: open.wakeupReadEnd, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&polled, 2, Int32(min(left.rounded(.up), 1_000_000)))
        if polled[1].revents != 0 { throw CancellationError() }
    }

    /// Blocks `SIGPIPE`, so that writing to a process that has ended is an ordinary error and does not terminate
    /// the server. The thread belongs to the pool.
    private func blockPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
