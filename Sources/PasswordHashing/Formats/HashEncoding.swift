import Primitives

/// Strict parsers for the parts of stored formats. Each value has exactly one accepted spelling.
enum HashEncoding {
    /// Parses a number of one to nine decimal digits without a sign.
    static func number(_ text: some StringProtocol) -> Int? {
        guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// Decodes padded Base64 in the standard alphabet (RFC 4648 section 4).
    static func base64(_ text: some StringProtocol) -> [UInt8]? {
        var letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return translated(letters, plus: UInt8(ascii: "+"))
    }

    /// Decodes Base64 in the standard alphabet without padding.
    static func unpaddedBase64(_ text: some StringProtocol) -> [UInt8]? {
        translated(Array(text.utf8), plus: UInt8(ascii: "+"))
    }

    /// Decodes passlib's "adapted" Base64: `.` instead of `+`, without padding.
    static func adaptedBase64(_ text: some StringProtocol) -> [UInt8]? {
        translated(Array(text.utf8), plus: UInt8(ascii: "."))
    }

    private static func translated(_ letters: [UInt8], plus: UInt8) -> [UInt8]? {
        var letters = letters
        for (index, letter) in letters.enumerated() {
            switch letter {
            case plus: letters[index] = UInt8(ascii: "-")
            case UInt8(ascii: "/"): letters[index] = UInt8(ascii: "_")
            case UInt8(ascii: "-"), UInt8(ascii: "_"): return nil
            default: break
            }
        }
        return Base64URL.decode(letters: letters)
    }

    /// Splits a text at dollar signs. Empty parts are included.
    static func parts(_ text: some StringProtocol) -> [String] {
        String(text).split(separator: Character("$"), omittingEmptySubsequences: false).map { String($0) }
    }
}

/// The alphabet of crypt(3) and phpass: six bits per letter, the lowest bits first.
enum Crypt64 {
    private static let letters = Array("./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    static func value(_ letter: UInt8) -> Int? { letters.firstIndex(of: letter) }

    static func isAll(_ text: some Sequence<UInt8>) -> Bool { text.allSatisfy { value($0) != nil } }

    /// Encodes groups of three bytes, the first byte lowest, as in phpass.
    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) }
            text += encode(bits, letters: group.count + 1)
        }
        return text
    }

    static func encode(_ bits: Int, letters count: Int) -> [UInt8] {
        (0..<count).map { letters[bits >> (6 * $0) & 63] }
    }
}
