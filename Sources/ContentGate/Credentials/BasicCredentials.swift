import Gatefold
import Primitives

/// A userid and password from an `Authorization` header (RFC 7617).
///
/// The parser is strict, because other software that checks the same header must read the same pair. It accepts the
/// standard Base64 alphabet, correct or absent padding, no stray bits, UTF-8, and no control characters. The userid
/// ends at the first colon.
///
/// Source: Pitfall 3, “Delimiter confusion in the edition password”.
public struct BasicCredentials: Sendable, Equatable, CustomStringConvertible {
    /// The maximum length of a header value, in bytes: the longest token with its password.
    public static let maxLength = (SealedTokenCodec.maxTokenLength + 1 + EditionPassword.length + 2) / 3 * 4 + 8

    public let userid: String
    public let password: String

    /// Returns `nil` if the value is not Basic credentials.
    public init?(_ value: some StringProtocol) {
        self.init(bytes: value.utf8)
    }

    /// Returns `nil` if the value is not Basic credentials.
    public init?(bytes value: some Collection<UInt8>) {
        guard value.count <= Self.maxLength else { return nil }
        let value = Array(value)
        let scheme = "basic".utf8
        guard value.prefix(scheme.count).elementsEqual(scheme, by: { $0 | 0x20 == $1 }) else { return nil }
        let rest = value.dropFirst(scheme.count)
        let encoded = rest.drop { $0 == UInt8(ascii: " ") }
        guard encoded.count < rest.count, let decoded = Self.decode(encoded),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
            !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            let userid = String(validating: decoded[..<colon], as: UTF8.self),
            let password = String(validating: decoded[(colon + 1)...], as: UTF8.self)
        else { return nil }
        self.userid = userid
        self.password = password
    }

    public var description: String { "BasicCredentials(redacted)" }

    private static func decode(_ encoded: ArraySlice<UInt8>) -> [UInt8]? {
        var letters = Array(encoded)
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        let padding = encoded.count - letters.count
        guard padding == 0 || padding <= 2 && encoded.count.isMultiple(of: 4) else { return nil }
        for index in letters.indices {
            switch letters[index] {
            case UInt8(ascii: "+"): letters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(letters: letters)
    }
}
