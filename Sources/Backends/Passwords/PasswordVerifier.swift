import Gatefold
import NIOPosix
import Protections
import Synchronization

/// Checks passwords on threads of its own, so many at once and no more (PITFALLS row 19: hashing has a cap on CPU).
///
/// Those that come while all threads work wait in a queue of limited length; one too many could not be asked.
public final class PasswordVerifier: Sendable {
    private let hasher: PasswordHasher
    private let threads: NIOThreadPool
    private let most: Int
    private let present = Mutex(0)

    /// - Parameters:
    ///   - concurrency: threads; each may use a whole core, and the memory of one hash.
    ///   - waiting: how many may wait beside those being checked.
    public init(hasher: PasswordHasher, concurrency: Int, waiting: Int = 256) {
        let concurrency = max(1, concurrency)
        self.hasher = hasher
        most = concurrency + max(0, waiting)
        threads = NIOThreadPool(numberOfThreads: concurrency)
        threads.start()
    }

    deinit {
        threads.shutdownGracefully { _ in }
    }

    /// See ``PasswordHasher/check(_:against:)``.
    ///
    /// - Throws: ``PasswordError``, `.queueFull` among them.
    public func check(_ password: String, against stored: String?) async throws -> PasswordVerdict {
        try await run { hasher in try hasher.check(password, against: stored) }
    }

    /// Checks what was typed against a stored form, and does nothing else.
    ///
    /// - Parameter typed: nil when nobody's password can be what was typed.
    /// - Throws: ``PasswordError``, `.queueFull` among them.
    func matches(_ typed: [UInt8]?, _ stored: any StoredPassword) async throws -> Bool {
        try await run { hasher in try hasher.matches(typed, stored) }
    }

    /// See ``PasswordHasher/decoy``.
    var decoy: any StoredPassword { hasher.decoy }

    /// Hashes a password for keeping.
    ///
    /// - Throws: ``PasswordError``, `.queueFull` among them.
    public func hash(_ password: String) async throws -> String {
        try await run { hasher in try hasher.hash(password) }
    }

    private func run<Answer: Sendable>(
        _ work: @escaping @Sendable (PasswordHasher) throws -> Answer
    ) async throws -> Answer {
        let enters = present.withLock { present in
            guard present < most else { return false }
            present += 1
            return true
        }
        guard enters else { throw PasswordError.queueFull }
        defer { present.withLock { $0 -= 1 } }
        return try await OwnWork.during { try await threads.runIfActive { [hasher] in try work(hasher) } }
    }
}
