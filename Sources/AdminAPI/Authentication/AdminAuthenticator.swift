import Foundation
package import Gatefold
package import Primitives
import Synchronization

/// The authentication of requests: by a token, or by the pass of a command on the same machine.
package final class AdminAuthenticator: Sendable {
    /// The number of seconds between two records of a token's use.
    private static let usePeriod: TimeInterval = 60
    /// The maximum number of tokens whose use is in memory.
    private static let capacity = 10_000

    private let tokens: any AdminTokenStore
    private let key: PseudonymKey
    private let clock: WallClock
    private let localClock: WallClock
    private let failures = AuthenticationFailures()
    /// The times of the last recorded uses, by the digest of the token.
    private let uses = Mutex<[[UInt8]: Date]>([:])

    /// - Parameters:
    ///   - clock: The clock of the state.
    ///   - localClock: The clock of this machine, by which commands seal their passes.
    package init(
        _ tokens: any AdminTokenStore, key: PseudonymKey, clock: WallClock, localClock: WallClock = .system
    ) {
        self.tokens = tokens
        self.key = key
        self.clock = clock
        self.localClock = localClock
    }

    /// Returns the user of a request.
    ///
    /// - Parameters:
    ///   - authorization: The header `Authorization`.
    ///   - target: The method and the path, see ``LocalOperatorPass/target``.
    ///   - address: The address of the client.
    ///   - isLocal: Whether the client is on this machine.
    /// - Throws: ``AdminProblem/unauthenticated`` or ``AdminProblem/tooMany(after:)``, or the error of the store.
    func user(
        _ authorization: String?, for target: String, from address: String, isLocal: Bool
    ) async throws -> AdminUser {
        let credentials = Self.credentials(authorization: authorization)
        let token = credentials.flatMap { AdminToken($0) }
        // A client with a valid token is not blocked by others with its address.
        let isInUse = token.map { token in uses.withLock { $0[token.digest] != nil } } ?? false
        guard isInUse || !failures.isBlocked(address, at: clock.elapsed) else { throw AdminProblem.tooMany(after: 60) }
        if let token, let record = try await record(of: token) { return AdminUser(record) }
        if isLocal, let credentials,
            let pass = LocalOperatorPass.open(credentials, for: target, key: key, at: localClock.now)
        {
            return AdminUser(pass)
        }
        failures.add(address, at: clock.elapsed)
        throw AdminProblem.unauthenticated
    }

    private func record(of token: AdminToken) async throws -> AdminTokenRecord? {
        let digest = token.digest
        guard let record = try await tokens.adminToken(withDigest: digest),
            isEqualInConstantTime(record.digest, digest), record.isAccepted(at: clock.now)
        else {
            uses.withLock { $0[digest] = nil }
            return nil
        }
        recordUse(of: record)
        return record
    }

    /// Records the use of a token. The request does not wait, and a failure is no reason to reject it.
    private func recordUse(of record: AdminTokenRecord) {
        let now = clock.now
        let isDue = uses.withLock { uses in
            if let last = uses[record.digest], now.timeIntervalSince(last) < Self.usePeriod { return false }
            if uses.count >= Self.capacity { uses = [:] }
            uses[record.digest] = now
            return true
        }
        guard isDue else { return }
        Task { [tokens] in try? await tokens.touchAdminToken(record.id, at: now) }
    }

    /// Returns the credentials of the scheme `Bearer` (RFC 6750 section 2.1).
    private static func credentials(authorization: String?) -> String? {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else { return nil }
        return String(authorization.dropFirst(7))
    }
}
