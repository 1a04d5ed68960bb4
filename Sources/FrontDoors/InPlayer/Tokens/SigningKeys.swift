import Crypto
import Foundation
import Gatefold
import JSON
import JWTKit
import Primitives

/// The signing keys of a publication's access tokens. They are derived from its token secrets, so they need no
/// configuration and rotate with the secrets.
struct SigningKeys: Sendable {
    struct Key: Sendable {
        /// The identifier of the key in tokens, which reveals nothing about the key.
        let identifier: String
        let key: ES256PrivateKey
        /// The x coordinate of the public key, in base64url.
        let x: String
        let y: String
    }

    /// The keys. The first one signs, all of them verify.
    let all: [Key]

    init(_ secrets: SecretRing, publication: PublicationID) {
        all = secrets.all.compactMap { Self.key($0, publication) }
    }

    subscript(identifier: String) -> Key? { all.first { $0.identifier == identifier } }

    /// Derives a key from a secret. Returns `nil` with a probability of 2^-1024, because nearly all values of 32
    /// bytes are a key (FIPS 186-5, A.2.2), and 32 values are tried.
    private static func key(_ secret: Secret, _ publication: PublicationID) -> Key? {
        let material = SymmetricKey(data: secret.bytes)
        func derive(_ purpose: String, _ count: Int) -> [UInt8] {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, info: Data("gatefold access token \(purpose) 1 \(publication)".utf8),
                outputByteCount: count
            ).withUnsafeBytes { Array($0) }
        }
        for attempt in 0..<32 {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: derive("key \(attempt)", 32)),
                let signing = try? ES256PrivateKey(backing: key)
            else { continue }
            let point = Array(key.publicKey.rawRepresentation)
            return Key(
                identifier: Base64URL.encode(derive("identifier", 9)), key: signing,
                x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
        }
        return nil
    }

    /// The public keys (RFC 7517).
    var published: [JSONValue] {
        all.map { key in
            [
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": .string(key.identifier),
                "x": .string(key.x), "y": .string(key.y),
            ]
        }
    }
}
