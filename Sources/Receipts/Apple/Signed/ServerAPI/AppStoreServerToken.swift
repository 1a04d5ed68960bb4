import Foundation
import JWTKit
import Primitives

/// A signed token that identifies the caller to Apple in every request, created with jwt-kit.
///
/// Source: App Store protocol, “Authorization of API calls”.
struct AppStoreServerToken: Sendable {
    private let keys: JWTKeyCollection
    private let keyID: String
    private let issuer: String

    static let audience = "appstoreconnect-v1"
    /// The lifetime in seconds. Apple accepts up to one hour; its own library uses five minutes.
    static let lifetime = 300

    /// The claims of the token (RFC 7519 section 4.1).
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        let exp: Int
        let aud: String
        /// The bundle identifier of the queried app.
        let bid: String

        /// Gatefold never verifies this token.
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    /// Creates a signer.
    ///
    /// - Throws: jwt-kit's error for an invalid key.
    init(_ settings: AppStoreServerSettings) async throws {
        keyID = settings.keyID
        issuer = settings.issuer
        keys = JWTKeyCollection()
        let key = try ES256PrivateKey(pem: String(decoding: settings.key.bytes, as: UTF8.self))
        await keys.add(ecdsa: key, kid: JWKIdentifier(string: keyID))
    }

    func text(for bundle: String, at timestamp: Date) async throws -> String {
        let issued = Int(timestamp.timeIntervalSince1970)
        return try await keys.sign(
            Claims(iss: issuer, iat: issued, exp: issued + Self.lifetime, aud: Self.audience, bid: bundle),
            kid: JWKIdentifier(string: keyID))
    }
}
