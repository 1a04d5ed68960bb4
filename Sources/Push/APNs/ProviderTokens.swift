package import JWTKit
package import Primitives
import Synchronization

/// The provider tokens of this process: one per key, shared by all senders.
///
/// Each signature makes a different token, even within one second, and APNs accepts only one new token of a key
/// within twenty minutes.
package final class ProviderTokens: Sendable {
    private struct Name: Hashable {
        let team: String
        let keyID: String
    }

    private struct Entry {
        let key: ES256PrivateKey
        let issuer: ProviderToken
    }

    private let entries = Mutex<[Name: Entry]>([:])

    package init() {}

    /// Returns the issuer of a key. A new issuer is created only if the settings now hold another key under that
    /// name.
    package func issuer(team: String, keyID: String, key: ES256PrivateKey, clock: WallClock) -> ProviderToken {
        let name = Name(team: team, keyID: keyID)
        return entries.withLock { entries in
            if let known = entries[name], known.key.publicKey == key.publicKey { return known.issuer }
            let issuer = ProviderToken(team: team, keyID: keyID, key: key, clock: clock)
            entries[name] = Entry(key: key, issuer: issuer)
            return issuer
        }
    }
}
