import Foundation
package import Gatefold
import HTTPTypes
package import Primitives
import Synchronization

/// The authentication of requests: by a token, or by the pass of a command on the same machine.
package final class AdminAuthenticator: Sendable {
    /// The number of seconds between two records of a token's use.
    private static let usePeriod: TimeInterval = 60
    /// The maximum number of tokens whose use is in memory.
    private static let capacity = 10_000
    /// The maximum number of failures per minute of a client on another machine. Nobody can guess a token. The limit bounds the
    /// queries of the state that a client without one causes.
    static let maxFailures = 30
    /// The number of seconds for which the list of all tokens is in memory.
    private static let listPeriod: TimeInterval = 1

    private let tokens: any AdminTokenStore
    private let key: PseudonymKey
    private let clock: WallClock
    private let localClock: WallClock
    private let failures = MinuteCounts<String>(limit: AdminAuthenticator.maxFailures)
    /// The times of the last recorded uses, by the digest of the token.
    private let uses = Mutex<[[UInt8]: Date]>([:])
    /// The passes that were accepted in the last minutes, and the times on a monotonic clock.
    private let passes = Mutex<[[UInt8]: TimeInterval]>([:])
    /// The digests of all tokens, and the time on a monotonic clock at which they were read.
    private let list = Mutex<(read: TimeInterval, digests: Set<[UInt8]>)?>(nil)

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

    /// Returns the user of a request. Valid credentials are accepted however many others fail, because many clients may have
    /// one address.
    ///
    /// - Throws: ``AdminProblem/unauthenticated`` or ``AdminProblem/tooMany(after:)``, or the error of the store.
    func user(of request: AdminRequest) async throws -> AdminUser {
        guard let credentials = Self.credentials(request.fields[.authorization]) else {
            throw AdminProblem.unauthenticated
        }
        if let token = AdminToken(credentials) {
            return try await user(of: token, from: request.address, isLocal: request.isLocal)
        }
        if request.isLocal,
            let pass = LocalOperatorPass.open(
                credentials, for: "\(request.method.rawValue) \(request.path)", key: key, at: localClock.now),
            isFirstUse(of: pass)
        {
            return AdminUser(pass)
        }
        throw failure(of: request.address, isLocal: request.isLocal)
    }

    /// Returns the user of a token, which is valid now.
    ///
    /// - Throws: ``AdminProblem/unauthenticated`` or ``AdminProblem/tooMany(after:)``, or the error of the store.
    func user(of token: AdminToken, from address: String, isLocal: Bool) async throws -> AdminUser {
        AdminUser(try await record(of: token, from: address, isLocal: isLocal))
    }

    /// Returns a valid token as the state stores it.
    func record(of token: AdminToken, from address: String, isLocal: Bool) async throws -> AdminTokenRecord {
        guard let record = try await knownRecord(of: token, address, isLocal) else {
            throw failure(of: address, isLocal: isLocal)
        }
        return record
    }

    /// Counts a failed authentication, and returns its problem. Those of this machine are not counted: each of its users has
    /// its address.
    private func failure(of address: String, isLocal: Bool) -> AdminProblem {
        isLocal || failures.add(address, at: clock.elapsed) ? .unauthenticated : .tooMany(after: 60)
    }

    /// Returns whether this node has not accepted a pass before.
    private func isFirstUse(of pass: LocalOperatorPass) -> Bool {
        let now = clock.elapsed
        return passes.withLock { passes in
            // A pass is accepted from its lifetime before its creation until its lifetime after it.
            passes = passes.filter { now - $0.value <= 2 * LocalOperatorPass.lifetime }
            return passes.updateValue(now, forKey: pass.id) == nil
        }
    }

    private func knownRecord(of token: AdminToken, _ address: String, _ isLocal: Bool) async throws -> AdminTokenRecord?
    {
        let digest = token.digest
        if !isLocal, failures.isAtLimit(address, at: clock.elapsed), try await !isListed(digest) {
            return nil
        }
        guard let record = try await tokens.adminToken(withDigest: digest),
            isEqualInConstantTime(record.digest, digest), record.isAccepted(at: clock.now)
        else {
            uses.withLock { $0[digest] = nil }
            return nil
        }
        recordUse(of: record)
        return record
    }

    /// Returns whether there is a token with a digest. Such calls cause about one query per ``listPeriod``, after which a
    /// new token is known.
    private func isListed(_ digest: [UInt8]) async throws -> Bool {
        if uses.withLock({ $0[digest] != nil }) { return true }
        let now = clock.elapsed
        let known = list.withLock { list -> Set<[UInt8]>? in
            if let list, now - list.read < Self.listPeriod { return list.digests }
            // Calls during the query use the former list.
            list = list.map { (read: now, digests: $0.digests) }
            return nil
        }
        if let known { return known.contains(digest) }
        let all = Set(try await tokens.adminTokens().map(\.digest))
        list.withLock { $0 = (read: now, digests: all) }
        return all.contains(digest)
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

    /// Returns the credentials of the scheme `Bearer` (RFC 6750 section 2.1); nil without any.
    private static func credentials(_ authorization: String?) -> String? {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else { return nil }
        return String(authorization.dropFirst(7))
    }
}
