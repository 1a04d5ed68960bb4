import Foundation
package import Gatefold
package import JWTKit

/// The bearer token by which a publisher's key vouches for its notifications: a JWT signed with ES256 whose header names
/// the key and whose claims are the team (`iss`) and the time of issue (`iat`).
///
/// APNs refuses one older than an hour (403 `ExpiredProviderToken`), and refuses a newer one within twenty minutes of the
/// last (429 `TooManyProviderTokenUpdates`); so one is used for 45 minutes, by everybody.
package actor ProviderToken {
    /// A token and its number, by which an older one is told from a newer one.
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
    private static let shortestLife: TimeInterval = 20 * 60

    private let team: String
    private let keyID: String
    private let key: ES256PrivateKey
    private let clock: WallClock
    private var issued: Issued?
    /// When a token was replaced because APNs had it for expired, by the clock that nobody sets.
    private var replaced: TimeInterval?

    package init(team: String, keyID: String, key: ES256PrivateKey, clock: WallClock) {
        self.team = team
        self.keyID = keyID
        self.key = key
        self.clock = clock
    }

    /// The token to use now.
    package func current() async throws -> Issue {
        let now = clock.now
        if let issued, (0..<Self.lifetime).contains(now.timeIntervalSince(issued.at)) {
            return Issue(text: try await issued.text.value, number: issued.number)
        }
        return try await issue(at: now)
    }

    /// Another token than one that APNs had for expired: the one that replaced it since, or a new one.
    ///
    /// - Returns: nil where that was done less than twenty minutes ago, so that yet another would be refused, too.
    package func replacement(for refused: Issue) async throws -> Issue? {
        if let issued, issued.number > refused.number { return try await current() }
        let elapsed = clock.elapsed
        if let replaced, elapsed - replaced < Self.shortestLife { return nil }
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
