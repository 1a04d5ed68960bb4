import Crypto
import Foundation
package import Primitives

/// A token of the admin API: `gfa_`, and 256 random bits with a checksum in 48 characters of base64url.
///
/// The fixed prefix and the checksum let secret scanners find tokens in files and logs with certainty. The state stores only
/// the digest of a token. A fast hash suffices, because nobody can guess 256 bits.
package struct AdminToken: Sendable, CustomStringConvertible {
    package static let prefix = "gfa_"
    private static let randomSize = 32
    private static let checksumSize = 4

    private let bytes: [UInt8]

    /// Creates a new token.
    package init(random: RandomSource = .system) {
        bytes = random.bytes(Self.randomSize)
    }

    /// Parses the format that ``text`` has. Nil is returned for any other text.
    package init?(_ text: some StringProtocol) {
        guard text.hasPrefix(Self.prefix),
            let decoded = Base64URL.decode(text.dropFirst(Self.prefix.count)),
            decoded.count == Self.randomSize + Self.checksumSize
        else { return nil }
        bytes = Array(decoded.prefix(Self.randomSize))
        guard decoded.suffix(Self.checksumSize).elementsEqual(Self.checksum(bytes)) else { return nil }
    }

    /// The token itself, which only its owner may see.
    package var text: String { Self.prefix + Base64URL.encode(bytes + Self.checksum(bytes)) }

    /// The digest that is stored.
    package var digest: [UInt8] { Array(SHA256.hash(data: Data("gatefold admin token 1".utf8) + bytes)) }

    /// A placeholder, so that no log contains a token.
    package var description: String { "AdminToken(redacted)" }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data("gatefold admin token checksum".utf8) + bytes).prefix(checksumSize))
    }
}
