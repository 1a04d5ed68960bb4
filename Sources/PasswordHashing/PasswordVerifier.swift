import NIOPosix
import Primitives
import Synchronization

/// A verifier that checks passwords on a fixed number of threads of its own, because hashing must not use all CPU
/// cores.
///
/// Checks that arrive while all threads are busy wait in a queue of limited length. If the queue is full, the check
/// fails. A check that takes less time than a change of threads does not wait: it runs on the caller's thread.
///
/// Source: Pitfall 19, “Brute force and lockout”.
public final class PasswordVerifier: Sendable {
    private let hasher: PasswordHasher
    private let threads: NIOThreadPool
    private let maxPending: Int
    private let present = Mutex(0)

    /// - Parameters:
    ///   - hasher: The hasher that checks passwords.
    ///   - concurrency: The number of threads. Each one may use a whole core and the memory of one hash.
    ///   - waiting: The maximum number of checks that wait in addition to the running ones. Default: 256.
    public init(hasher: PasswordHasher, concurrency: Int, waiting: Int = 256) {
        let concurrency = max(1, concurrency)
        self.hasher = hasher
        maxPending = concurrency + max(0, waiting)
        threads = NIOThreadPool(numberOfThreads: concurrency)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// Checks a password, see ``PasswordHasher/check(_:against:)``.
    ///
    /// - Throws: ``PasswordError``, including `.queueFull`.
    public func check(_ password: String, against stored: String?) async throws -> PasswordVerdict {
        try await run { hasher in try hasher.check(password, against: stored) }
    }

    /// Compares a typed password with a stored one, and does nothing else.
    ///
    /// - Parameter typed: The typed password; nil if it cannot be a password.
    /// - Throws: ``PasswordError``, including `.queueFull`.
    func matches(_ typed: [UInt8]?, _ stored: any StoredPassword) async throws -> Bool {
        if stored.isQuick { return try hasher.matches(typed, stored) }
        return try await run { hasher in try hasher.matches(typed, stored) }
    }

    /// A dummy hash, see ``PasswordHasher/dummyHash``.
    var dummyHash: any StoredPassword { hasher.dummyHash }

    /// Hashes a password for storage.
    ///
    /// - Throws: ``PasswordError``, including `.queueFull`.
    public func hash(_ password: String) async throws -> String {
        try await run { hasher in try hasher.hash(password) }
    }

    private func run<Value: Sendable>(
        _ work: @escaping @Sendable (PasswordHasher) throws -> Value
    ) async throws -> Value {
        let enters = present.withLock { present in
            guard present < maxPending else { return false }
            present += 1
            return true
        }
        guard enters else { throw PasswordError.queueFull }
        defer { present.withLock { $0 -= 1 } }
        return try await LocalWork.during { try await threads.runIfActive { [hasher] in try work(hasher) } }
    }
}
