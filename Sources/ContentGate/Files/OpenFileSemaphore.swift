import Synchronization

/// A limit on the number of files that are open for sending, so that downloads leave descriptors for all other
/// uses.
final class OpenFileSemaphore: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Returns a place, or `nil` if all are taken. A place is released with the last reference to it.
    func acquire() -> OpenFilePermit? {
        let isFree = taken.withLock { taken -> Bool in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        return isFree ? OpenFilePermit(self) : nil
    }

    fileprivate func release() { taken.withLock { $0 -= 1 } }
}

/// One place of ``OpenFileSemaphore``.
final class OpenFilePermit: Sendable {
    private let semaphore: OpenFileSemaphore

    fileprivate init(_ semaphore: OpenFileSemaphore) {
        self.semaphore = semaphore
    }

    deinit { semaphore.release() }
}
