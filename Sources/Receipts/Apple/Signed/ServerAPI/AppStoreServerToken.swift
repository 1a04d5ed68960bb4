import Foundation
import Gatefold
import JWTKit

/// Says to Apple who asks: a signed token for every request (PROTOCOLS 6.3), made with jwt-kit.
struct AppStoreServerToken: Sendable {
    private let keys: JWTKeyCollection
    private let keyID: String
    private let issuer: String

    static let audience = "appstoreconnect-v1"
    /// In seconds; Apple takes up to an hour, its own library five minutes.
    static let lifetime = 300

    /// What the token claims (RFC 7519 section 4.1).
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        /// The bundle identifier of the app asked about.
        let bid: String

        /// Nobody reads a token here.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// - Throws: jwt-kit's error for a key that is none.
    init(_ settings: AppStoreServerSettings) async throws {
        keyID = settings.keyID
        issuer = settings.issuer
        keys = JWTKeyCollection()
        let key = try ES256PrivateKey(pem: String(decoding: settings.key.bytes, as: UTF8.self))
        await keys.add(ecdsa: key, kid: JWKIdentifier(string: keyID))
    }

    func text(for bundle: String, at moment: Date) async throws -> String {
        let issued = Int(moment.timeIntervalSince1970)
        return try await keys.sign(
            Claims(iss: issuer, iat: issued, exp: issued + Self.lifetime, aud: Self.audience, bid: bundle),
            kid: JWKIdentifier(string: keyID))
    }
}
