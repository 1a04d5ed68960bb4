package import Foundation
package import Gatefold
import Primitives

/// The sessions of browsers in the console, each of which begins with a one-time link.
///
/// A link and a session are tokens of kinds of their own: neither is accepted by the admin API, and a token of the API opens no
/// console. A session has the role and the publications of its link.
package struct ConsoleSessions: Sendable {
    /// The time in seconds for which a link is accepted.
    package static let linkLifetime: TimeInterval = 300
    /// The time in seconds after which a session ends: a working day with a margin.
    package static let lifetime: TimeInterval = 12 * 3_600
    private static let formPurpose = "gatefold console form 1"
    private static let installationPurpose = "gatefold console installation 1"

    private let tokens: any AdminTokenStore
    private let authenticator: AdminAuthenticator
    private let log: any AuditLog
    private let key: PseudonymKey
    private let clock: WallClock
    private let random: RandomSource
    private let didMissOutcome: @Sendable (any Error) -> Void
    /// The refused sign-ins that are recorded in the audit log: one of a link in a minute.
    private let refusals = MinuteCounts<String>(limit: 1)
    private let usedReceipts = MinuteCounts<String>(limit: 1)

    init(
        _ tokens: any AdminTokenStore, _ authenticator: AdminAuthenticator, log: any AuditLog, key: PseudonymKey,
        clock: WallClock, random: RandomSource, didMissOutcome: @escaping @Sendable (any Error) -> Void
    ) {
        self.tokens = tokens
        self.authenticator = authenticator
        self.log = log
        self.key = key
        self.clock = clock
        self.random = random
        self.didMissOutcome = didMissOutcome
    }

    /// Returns the user of a session.
    ///
    /// - Throws: ``AdminProblem/unauthenticated`` if the session does not exist, has expired or was revoked;
    ///   ``AdminProblem/tooMany(after:)``; or the error of the store.
    package func user(of session: AdminToken, from address: String, isLocal: Bool) async throws -> AdminUser {
        guard session.kind == .consoleSession else { throw AdminProblem.unauthenticated }
        return try await authenticator.user(of: session, from: address, isLocal: isLocal)
    }

    /// Uses a link up and begins a session. The session is a new secret, whatever the browser sent before.
    ///
    /// - Throws: The errors of ``user(of:from:isLocal:)``, also for a link that was used before, at whichever node.
    package func begin(with link: AdminToken, from address: String, isLocal: Bool) async throws -> AdminToken {
        guard link.kind == .loginLink else { throw AdminProblem.unauthenticated }
        // A browser that disconnects cancels its request. A change must not end between its two entries in the audit log, so it
        // is a task of its own.
        return try await Task { try await exchange(link, address, isLocal) }.value
    }

    /// Replaces a link by a session.
    private func exchange(_ link: AdminToken, _ address: String, _ isLocal: Bool) async throws -> AdminToken {
        let found: AdminTokenRecord
        do {
            found = try await authenticator.record(of: link, from: address, isLocal: isLocal)
        } catch let problem as AdminProblem where problem == .unauthenticated {
            await recordRefusal(of: link)
            throw problem
        }
        let session = AdminToken(.consoleSession, random: random)
        let now = clock.now
        let record = AdminTokenRecord(
            id: found.id.replacingOccurrences(
                of: AdminTokenKind.loginLink.idPrefix, with: AdminTokenKind.consoleSession.idPrefix),
            digest: session.digest, name: found.name, scope: found.scope, created: now,
            expires: now + Self.lifetime)
        let isFirst = try await trail(of: record.actor).perform(
            .consoleSignIn, of: [.adminToken(record.id)],
            outcome: { (isFirst: Bool) -> AuditDetails.Pairs in [("link", isFirst ? "valid" : "used")] }
        ) { try await tokens.exchangeAdminToken(found.id, for: record, at: now) }
        guard isFirst else { throw AdminProblem.unauthenticated }
        return session
    }

    /// Records that a link which exists was refused, because another person may have used it before. The log of an unknown link
    /// would have nothing to name. The response does not depend on the entry.
    private func recordRefusal(of link: AdminToken) async {
        do {
            guard let record = try await tokens.adminToken(withDigest: link.digest),
                refusals.add(record.id, at: clock.elapsed)
            else { return }
            try await trail(of: record.actor).record(
                .consoleSignIn, of: [.adminToken(record.id)],
                [("phase", "refused"), ("link", record.revoked == nil ? "expired" : "used-or-revoked")])
        } catch {
            didMissOutcome(error)
        }
    }

    /// Ends a session. One that has ended before is no error.
    package func end(_ session: AdminToken) async throws {
        guard session.kind == .consoleSession else { return }
        try await Task {
            guard let record = try await tokens.adminToken(withDigest: session.digest),
                record.isAccepted(at: clock.now)
            else { return }
            _ = try await trail(of: record.actor).perform(.consoleSignOut, of: [.adminToken(record.id)]) {
                try await tokens.revokeAdminToken(record.id, at: clock.now)
            }
        }.value
    }

    /// Returns the value that each form of a session contains, so that no other page can send one (CSRF). It is derived from the
    /// session and reveals nothing of it.
    package func formToken(of session: AdminToken) -> String {
        Base64URL.encode(Array(key.digest(Self.formPurpose, [session.text]).prefix(24)))
    }

    /// A public identifier of the state that all nodes share. It reveals nothing of the key.
    package var installation: String { Self.installation(of: key) }

    static func installation(of key: PseudonymKey) -> String {
        Hexadecimal.encode(Array(key.digest(installationPurpose, []).prefix(6)))
    }

    package func receipts(of session: AdminToken) -> ChangeReceipts {
        ChangeReceipts(session: session.text, key: key, clock: clock, uses: usedReceipts)
    }

    private func trail(of actor: AuditActor) -> AuditTrail {
        AuditTrail(log, AuditChain(key), by: actor, reason: nil, didMissOutcome: didMissOutcome)
    }
}
