import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A permanent signal that wakes a thread that waits in poll(2). It is a pipe to which one byte is written.
final class WakeupPipe: Sendable {
    private struct Pipe {
        var ends: (read: Int32, write: Int32)?
        var isRaised = false
    }

    private let pipe: Mutex<Pipe>

    /// Creates the pipe. Without free file descriptors the signal wakes no thread, and a waiting call ends by its
    /// own timeout.
    init() {
        var ends: [Int32] = [-1, -1]
        let made = ends.withUnsafeMutableBufferPointer { Self.open($0.baseAddress) } == 0
        pipe = Mutex(Pipe(ends: made ? (ends[0], ends[1]) : nil))
    }

    deinit { close() }

    private static func open(_ ends: UnsafeMutablePointer<Int32>?) -> Int32 {
        guard let ends, makePipe(ends) == 0 else { return -1 }
        for end in 0...1 { _ = fcntl(ends[end], F_SETFD, FD_CLOEXEC) }
        return 0
    }

    /// The descriptor to poll for reading. It is negative when no pipe exists, and poll(2) ignores negative
    /// descriptors.
    var descriptor: Int32 { pipe.withLock { $0.ends?.read ?? -1 } }

    var isRaised: Bool { pipe.withLock(\.isRaised) }

    func raise() {
        pipe.withLock { pipe in
            guard !pipe.isRaised else { return }
            pipe.isRaised = true
            var byte: UInt8 = 1
            if let ends = pipe.ends { _ = write(ends.write, &byte, 1) }
        }
    }

    func close() {
        pipe.withLock { pipe in
            guard let ends = pipe.ends else { return }
            pipe.ends = nil
            _ = closeDescriptor(ends.read)
            _ = closeDescriptor(ends.write)
        }
    }
}

// These functions have names that the methods above do not hide.
private func makePipe(_ ends: UnsafeMutablePointer<Int32>) -> Int32 { pipe(ends) }
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
