import Crypto
import CryptoExtras
import Foundation
import Primitives

/// The public key of one app, which verifies Google's signatures of purchases: RSA, PKCS #1 v1.5, SHA-1.
///
/// Google prescribes these algorithms, and no others are available.
///
/// Source: Store receipts in the Pugpig style, “Google signature”.
struct GoogleSigningKey: Sendable {
    private let key: _RSA.Signing.PublicKey

    /// Reads a key.
    ///
    /// - Parameter text: The text in the Play Console: base64 of a SubjectPublicKeyInfo, on one or more lines.
    init?(_ text: String) {
        guard let der = Data(base64Encoded: text.filter { !$0.isWhitespace }),
            let key = try? _RSA.Signing.PublicKey(derRepresentation: der)
        else { return nil }
        self.key = key
    }

    /// Returns the signed text for the data that an app sent: the unchanged data or, if the signature matches only
    /// then, the data after the removal of one more percent-encoding.
    ///
    /// The historic server decoded everything twice, so some apps encode twice. An unconditional second decoding
    /// would damage every `+` and `%` in the data.
    ///
    /// Source: Store receipts in the Pugpig style, “Second URL decoding”.
    ///
    /// - Returns: The text, or nil if Google signed neither variant.
    func signedText(_ data: String, signature: String) -> String? {
        guard let signature = Self.signature(signature) else { return nil }
        return [data, PercentEncoding.decodeForm(data)].compactMap(\.self).first { text in
            key.isValidSignature(
                signature, for: Insecure.SHA1.hash(data: Data(text.utf8)), padding: .insecurePKCS1v1_5)
        }
    }

    /// Decodes a signature. Base64 contains neither spaces nor `%`: a space was a `+`, and a `%` shows a surplus
    /// encoding.
    private static func signature(_ text: String) -> _RSA.Signing.RSASignature? {
        let once = text.contains("%") ? PercentEncoding.decodeForm(text) ?? text : text
        return Data(base64Encoded: once.replacing(" ", with: "+")).map {
            _RSA.Signing.RSASignature(rawRepresentation: $0)
        }
    }
}
