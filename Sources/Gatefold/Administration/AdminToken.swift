import Crypto
import Foundation
package import Primitives

/// A token of the admin API or the console: the prefix of its kind, such as `gfa_`, and 256 random bits with a checksum in 48
/// characters of base64url.
///
/// The fixed prefix and the checksum let secret scanners find tokens in files and logs with certainty. The state stores only
/// the digest of a token. A fast hash suffices, because nobody can guess 256 bits.
package struct AdminToken: Sendable, CustomStringConvertible {
    private static let randomSize = 32
    private static let checksumSize = 4

    package let kind: AdminTokenKind
    private let bytes: [UInt8]

    /// Creates a new token.
    package init(_ kind: AdminTokenKind = .api, random: RandomSource = .system) {
        self.kind = kind
        bytes = random.bytes(Self.randomSize)
    }

    /// Parses the format that ``text`` has. Nil is returned for any other text, also for a token of another kind.
    package init?(_ text: some StringProtocol, of kind: AdminTokenKind = .api) {
        guard text.hasPrefix(kind.prefix),
            let decoded = Base64URL.decode(text.dropFirst(kind.prefix.count)),
            decoded.count == Self.randomSize + Self.checksumSize
        else { return nil }
        self.kind = kind
        bytes = Array(decoded.prefix(Self.randomSize))
        guard decoded.suffix(Self.checksumSize).elementsEqual(Self.checksum(bytes)) else { return nil }
    }

    /// The token itself, which only its owner may see.
    package var text: String { kind.prefix + Base64URL.encode(bytes + Self.checksum(bytes)) }

    /// The digest that is stored. It differs by kind, so that a token of one kind is never accepted as one of another kind.
    package var digest: [UInt8] { Array(SHA256.hash(data: Data(kind.digestPurpose.utf8) + bytes)) }

    /// A placeholder, so that no log contains a token.
    package var description: String { "AdminToken(redacted)" }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Data("gatefold admin token checksum".utf8) + bytes).prefix(checksumSize))
    }
}
