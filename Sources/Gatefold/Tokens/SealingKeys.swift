import Crypto
import Foundation
package import Primitives

/// The AEAD keys derived from a ring of secrets for one purpose, each with a short identifier.
///
/// A sealed text starts with its key's identifier, so that secrets rotate with overlap and the right key is found
/// at once.
package struct SealingKeys: Sendable {
    private struct Entry: Sendable {
        let identifier: [UInt8]
        let key: SymmetricKey
    }

    package static let nonceSize = 12
    static let tagSize = 16
    private let entries: [Entry]
    private let identifierSize: Int

    /// Derives the keys.
    ///
    /// - Parameters:
    ///   - purpose: The use of the keys. It separates the keys of one secret and is part of the derivation (RFC
    ///     5869's `info`).
    ///   - identifierSize: The number of bytes at the start of a sealed text that identify its key.
    package init(_ secrets: SecretRing, purpose: String, identifierSize: Int) {
        self.identifierSize = identifierSize
        entries = secrets.all.map { secret in
            let material = SymmetricKey(data: secret.bytes)
            let key = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, info: Data("gatefold \(purpose) key 1".utf8), outputByteCount: 32)
            let identifier = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: material, info: Data("gatefold \(purpose) identifier 1".utf8),
                outputByteCount: identifierSize)
            return Entry(identifier: identifier.withUnsafeBytes { Array($0) }, key: key)
        }
    }

    /// Seals with the current key. The output contains the identifier, nonce, ciphertext and tag.
    package func seal(_ plaintext: [UInt8], authenticating context: [UInt8], nonce: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            plaintext, using: entries[0].key, nonce: AES.GCM.Nonce(data: nonce), authenticating: context)
        var sealed = entries[0].identifier
        sealed.reserveCapacity(identifierSize + Self.nonceSize + plaintext.count + Self.tagSize)
        // `combined` contains all three and is nil only for a nonce of an unusual size. A block copy is faster than
        // single bytes.
        let combined = box.combined ?? Data(nonce) + box.ciphertext + box.tag
        combined.withUnsafeBytes { sealed.append(contentsOf: $0) }
        return sealed
    }

    /// Returns the plaintext, or nil if no key of the ring sealed these bytes under this context.
    package func open(_ sealed: [UInt8], authenticating context: [UInt8]) -> [UInt8]? {
        guard sealed.count >= identifierSize + Self.nonceSize + Self.tagSize else { return nil }
        let identifier = sealed.prefix(identifierSize)
        guard let box = try? AES.GCM.SealedBox(combined: sealed.dropFirst(identifierSize)) else { return nil }
        // Identifiers are short, and two secrets may share one. Every key with that identifier is tried.
        for entry in entries where entry.identifier.elementsEqual(identifier) {
            if let plaintext = try? AES.GCM.open(box, using: entry.key, authenticating: context) {
                return Array(plaintext)
            }
        }
        return nil
    }
}
