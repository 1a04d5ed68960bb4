import Crypto
import Foundation

extension PseudonymKey {
    /// Seals bytes with ChaCha20-Poly1305 (RFC 8439) under a random nonce. Only the secret of the state opens them.
    ///
    /// - Parameter purpose: The name of the kind of content. Bytes that were sealed for another purpose do not open.
    package func seal(_ plain: [UInt8], for purpose: String) throws -> [UInt8] {
        Array(try ChaChaPoly.seal(plain, using: sealingKey(purpose), authenticating: Data(purpose.utf8)).combined)
    }

    /// Returns the bytes that were sealed, or nil if they were not sealed with this key for this purpose.
    package func open(_ sealed: [UInt8], for purpose: String) -> [UInt8]? {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            let plain = try? ChaChaPoly.open(box, using: sealingKey(purpose), authenticating: Data(purpose.utf8))
        else { return nil }
        return Array(plain)
    }

    private func sealingKey(_ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, info: Data(purpose.utf8), outputByteCount: 32)
    }
}
