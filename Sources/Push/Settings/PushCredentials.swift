package import JWTKit
package import NIOSSL
import Settings

/// The credentials with which an app's publisher authenticates to APNs.
package enum PushCredentials: Sendable {
    /// A key of the developer account, which signs provider tokens.
    case key(team: String, keyID: String, key: ES256PrivateKey)
    /// The app's own TLS client certificate.
    case certificate(chain: [NIOSSLCertificate], key: NIOSSLPrivateKey)

    /// Reads `team`, `key_id` and `key`, or `certificate` and `key`.
    init(_ section: SettingsSection) throws(SettingsError) {
        guard let key = try section.privateText("key") else {
            throw section.error("key", expected: "missing; expected {file: PATH} or {env: NAME} with a key in PEM")
        }
        if let certificate = try section.privateText("certificate") {
            for name in ["team", "key_id"] where section.has(name) {
                throw section.error(name, expected: "expected either `certificate`, or `team` and `key_id`")
            }
            guard let chain = try? NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)), !chain.isEmpty else {
                throw section.error("certificate", expected: "expected certificates in PEM")
            }
            guard let key = try? NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem) else {
                throw section.error("key", expected: "expected a private key in PEM, without a passphrase")
            }
            self = .certificate(chain: chain, key: key)
            return
        }
        let team = try Self.identifier("team", of: "the developer team", section)
        let keyID = try Self.identifier("key_id", of: "the key", section)
        guard let key = try? ES256PrivateKey(pem: key) else {
            throw section.error("key", expected: "expected the key of APNs as Apple provides it (.p8): P-256 in PEM")
        }
        self = .key(team: team, keyID: keyID, key: key)
    }

    private static func identifier(
        _ name: String, of what: String, _ section: SettingsSection
    ) throws(SettingsError) -> String {
        let expected = "the identifier of \(what), ten letters and digits"
        let text = try section.requiredString(name, expected: expected)
        guard text.wholeMatch(of: /[A-Z0-9]{10}/) != nil else {
            throw section.error(name, expected: "expected \(expected)")
        }
        return text
    }
}
