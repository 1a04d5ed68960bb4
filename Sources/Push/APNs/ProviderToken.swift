import Foundation
package import JWTKit
package import Primitives

/// The bearer token that authenticates a publisher's notifications: a JWT signed with ES256. Its header names the
/// key, and its claims are the team (`iss`) and the issue time (`iat`).
///
/// APNs rejects a token older than an hour (403 `ExpiredProviderToken`), and a new token within twenty minutes of
/// the last (429 `TooManyProviderTokenUpdates`). All senders therefore share one token for 45 minutes.
package actor ProviderToken {
    /// A token and its number, which distinguishes an older from a newer token.
    package struct Issue: Sendable {
        package let text: String
        package let number: Int
    }

    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int

        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private struct Issued {
        let at: Date
        let number: Int
        let text: Task<String, any Error>
    }

    private static let lifetime: TimeInterval = 45 * 60
    private static let minLifetime: TimeInterval = 20 * 60

    private let team: String
    private let keyID: String
    private let key: ES256PrivateKey
    private let clock: WallClock
    private var issued: Issued?
    /// The monotonic time at which a token was last replaced because APNs considered it expired.
    private var replaced: TimeInterval?

    package init(team: String, keyID: String, key: ES256PrivateKey, clock: WallClock) {
        self.team = team
        self.keyID = keyID
        self.key = key
        self.clock = clock
    }

    /// Returns the current token.
    package func current() async throws -> Issue {
        let now = clock.now
        if let issued, (0..<Self.lifetime).contains(now.timeIntervalSince(issued.at)) {
            return Issue(text: try await issued.text.value, number: issued.number)
        }
        return try await issue(at: now)
    }

    /// Returns a replacement for a token that APNs considered expired: the token that has replaced it since, or a
    /// new one.
    ///
    /// - Returns: Nil if a token was replaced less than twenty minutes ago, because APNs would reject another one
    ///   too.
    package func replacement(for rejected: Issue) async throws -> Issue? {
        if let issued, issued.number > rejected.number { return try await current() }
        let elapsed = clock.elapsed
        if let replaced, elapsed - replaced < Self.minLifetime { return nil }
        replaced = elapsed
        return try await issue(at: clock.now)
    }

    private func issue(at now: Date) async throws -> Issue {
        let number = (issued?.number ?? 0) + 1
        let claims = Claims(iss: team, iat: Int(now.timeIntervalSince1970))
        let text = Task { [key, keyID] in
            let kid = JWKIdentifier(string: keyID)
            return try await JWTKeyCollection().add(ecdsa: key, kid: kid).sign(claims, kid: kid)
        }
        issued = Issued(at: now, number: number, text: text)
        return Issue(text: try await text.value, number: number)
    }
}
