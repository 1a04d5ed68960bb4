package import Gatefold
package import JWTKit
import Synchronization

/// The provider tokens of this process: one for each key, whoever sends with it.
///
/// Each signature is another token, also of the same second, and APNs takes no two of one key within twenty minutes.
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

    /// The one of this key: another one only where the settings have another key by that name since.
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
