import Crypto
import CryptoExtras
import Foundation

/// The public key of one app, with which Google signs what it sold: RSA, PKCS #1 v1.5, SHA-1 (PROTOCOLS 1.6).
///
/// The algorithms are Google's, and are all there is.
struct GoogleSigningKey: Sendable {
    private let key: _RSA.Signing.PublicKey

    /// - Parameter text: as the Play Console shows it: base64 of a SubjectPublicKeyInfo, in one line or several.
    init?(_ text: String) {
        guard let der = Data(base64Encoded: text.filter { !$0.isWhitespace }),
            let key = try? _RSA.Signing.PublicKey(derRepresentation: der)
        else { return nil }
        self.key = key
    }

    /// The text that was signed, given what an app sent: as it came, or, where the signature says that this is it, with one
    /// more percent-encoding taken off.
    ///
    /// The historic server decoded everything twice, so some apps encode twice; taking the second encoding off by itself
    /// would damage every `+` and `%` that belongs to the data.
    ///
    /// - Returns: nil when Google signed neither.
    func signedText(_ data: String, signature: String) -> String? {
        guard let signature = Self.signature(signature) else { return nil }
        return [data, PercentEncoded.decoded(data)].compactMap(\.self).first { text in
            key.isValidSignature(
                signature, for: Insecure.SHA1.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
        }
    }

    /// Base64 has no spaces and no `%`: the one was a `+` once, the other is an encoding too many.
    private static func signature(_ text: String) -> _RSA.Signing.RSASignature? {
        let once = text.contains("%") ? PercentEncoded.decoded(text) ?? text : text
        return Data(base64Encoded: once.replacing(" ", with: "+")).map {
            _RSA.Signing.RSASignature(rawRepresentation: $0)
        }
    }
}
