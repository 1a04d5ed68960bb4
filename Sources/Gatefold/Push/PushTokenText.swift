import Primitives

/// A push token as an app encodes it: hexadecimal digits or base64. Source: Baker protocol, “Push token request”;
/// Basispress protocol, “Push token registration”.
public enum PushTokenText: Sendable, Equatable {
    case token([UInt8])
    /// The text is the description of a token in iOS 13 and later, `{length = 32, bytes = 0x740f … 1d }`, which
    /// omits most of the bytes. Notifications cannot reach the app until it has a new release.
    case truncated
    case malformed

    /// The permitted length of a token, in bytes. Current tokens have 32 bytes, but Apple does not guarantee the
    /// length.
    public static let sizes = 16...200

    /// Parses any text.
    ///
    /// Text that is valid in both encodings is read as hexadecimal, because base64 of a token practically always
    /// contains a character beyond `f`.
    public static func read(_ text: some StringProtocol) -> PushTokenText {
        // No encoding of a token is longer.
        guard text.utf8.count <= 4 * sizes.upperBound else { return .malformed }
        let bytes = Array(text.utf8)
        let body = bytes.filter { !" \t\r\n".utf8.contains($0) }
        if body.first == UInt8(ascii: "{") { return described(String(decoding: body, as: UTF8.self)) }
        if let token = Hexadecimal.decode(String(decoding: unwrapped(body), as: UTF8.self)) { return sized(token) }
        return base64(bytes).map(sized) ?? .malformed
    }

    private static func sized(_ bytes: [UInt8]) -> PushTokenText {
        sizes.contains(bytes.count) ? .token(bytes) : .malformed
    }

    /// Removes the `<` and `>` of older descriptions.
    private static func unwrapped(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.first == UInt8(ascii: "<"), bytes.last == UInt8(ascii: ">") else { return bytes[...] }
        return bytes.dropFirst().dropLast()
    }

    /// Parses `{length=32,bytes=0x…}`. The description of a short token is complete.
    private static func described(_ text: String) -> PushTokenText {
        guard let match = text.wholeMatch(of: /\{length=([0-9]{1,4}),bytes=0x([0-9A-Fa-f.…]*)\}/),
            let length = Int(match.1)
        else { return .malformed }
        guard let bytes = Hexadecimal.decode(match.2), bytes.count == length else { return .truncated }
        return sized(bytes)
    }

    /// Decodes base64 of either alphabet, with or without padding and line breaks. A space counts as `+`.
    private static func base64(_ bytes: [UInt8]) -> [UInt8]? {
        var letters = bytes.filter { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        let plain = letters.map { letter in
            switch letter {
            case UInt8(ascii: "+"), UInt8(ascii: " "): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: letter
            }
        }
        return Base64URL.decode(letters: plain)
    }
}
