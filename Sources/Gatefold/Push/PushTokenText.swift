/// A push token as an app spells it: hexadecimal digits (Baker, PROTOCOLS 2.5) or base64 (Basispress, PROTOCOLS 3).
public enum PushTokenText: Sendable, Equatable {
    case token([UInt8])
    /// What iOS 13 and later have for a description, `{length = 32, bytes = 0x740f … 1d }`: most of its bytes are left out,
    /// so the app needs a new release before anybody can reach it.
    case truncated
    case malformed

    /// How many bytes a token may have. Today's have 32, and nothing promises that.
    public static let sizes = 16...200

    /// Reads any text.
    ///
    /// What could be either is hexadecimal: base64 of a token without a single letter beyond `f` does not happen.
    public static func read(_ text: some StringProtocol) -> PushTokenText {
        // No spelling of a token is longer.
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

    /// Without the `<` and `>` of older descriptions.
    private static func unwrapped(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        guard bytes.first == UInt8(ascii: "<"), bytes.last == UInt8(ascii: ">") else { return bytes[...] }
        return bytes.dropFirst().dropLast()
    }

    /// `{length=32,bytes=0x…}`, which short ones fit into whole.
    private static func described(_ text: String) -> PushTokenText {
        guard let match = text.wholeMatch(of: /\{length=([0-9]{1,4}),bytes=0x([0-9A-Fa-f.…]*)\}/),
            let length = Int(match.1)
        else { return .malformed }
        guard let bytes = Hexadecimal.decode(match.2), bytes.count == length else { return .truncated }
        return sized(bytes)
    }

    /// Of either alphabet, padded or not, its `+` perhaps become spaces, broken into lines or not.
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
