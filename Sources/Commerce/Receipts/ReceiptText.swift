import Primitives

/// The text formats of receipts that apps send: base64 in either alphabet, with or without padding and line breaks,
/// or a signed transaction, which has three such segments with dots between them (RFC 7515 section 7.1).
///
/// Clients send `+` unescaped, and the form or query decoder turns it into a space. Source: Baker protocol,
/// “Escaping in POST bodies”; Basispress protocol, “Receipts in a query”.
package enum ReceiptText {
    /// The maximum length of a receipt in a front door, in bytes.
    package static let maxLength = 256 << 10

    /// Returns the canonical text of an Apple receipt: base64 in the standard alphabet, padded and without line
    /// breaks, or an unchanged signed transaction. Returns nil if the text is neither.
    ///
    /// A bare transaction identifier is no receipt, because it can be guessed.
    package static func repaired(_ text: String) -> String? {
        guard text.utf8.count <= maxLength else { return nil }
        let letters = letters(text, space: UInt8(ascii: "-"))
        guard !letters.isEmpty, !letters.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let segments = letters.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isLetter) }) else { return nil }
        switch segments.count {
        case 1: return letters.count % 4 == 1 ? nil : standard(letters)
        // The header begins like a JSON object.
        case 3: return letters.starts(with: "eyJ".utf8) ? String(decoding: letters, as: UTF8.self) : nil
        default: return nil
        }
    }

    /// Returns the text with its spaces changed to `+` and without line ends, if all other characters are a dot or
    /// base64 of either alphabet. Returns any other text unchanged, because not every store's receipt is base64.
    package static func unspaced(_ text: String) -> String {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20: letters.append(UInt8(ascii: "+"))
            case 0x0A, 0x0D: continue
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "."): letters.append(byte)
            default:
                guard isLetter(byte) else { return text }
                letters.append(byte)
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Returns the decoded bytes of base64, or nil for any other text. White space is ignored.
    package static func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(letters: letters(text, space: nil)) }

    /// Returns the possible bytes of base64 with spaces. Each space is either `+` or insignificant white space.
    package static func readings(_ text: String) -> [[UInt8]] {
        let spaces: [UInt8?] = text.utf8.contains(0x20) ? [UInt8(ascii: "-"), nil] : [nil]
        return spaces.compactMap { Base64URL.decode(letters: letters(text, space: $0)) }
    }

    /// Returns the text in the URL-safe alphabet, without the padding at the end, which is redundant. Other
    /// characters stay unchanged.
    ///
    /// - Parameter space: The replacement of a space, or nil to remove it.
    private static func letters(_ text: String, space: UInt8?) -> [UInt8] {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20: if let space { letters.append(space) }
            case 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "+"): letters.append(UInt8(ascii: "-"))
            case UInt8(ascii: "/"): letters.append(UInt8(ascii: "_"))
            default: letters.append(byte)
            }
        }
        while letters.last == UInt8(ascii: "=") { letters.removeLast() }
        return letters
    }

    /// Returns whether a byte belongs to the URL-safe alphabet.
    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func standard(_ letters: [UInt8]) -> String {
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return String(
            decoding: letters.map { letter in
                switch letter {
                case UInt8(ascii: "-"): UInt8(ascii: "+")
                case UInt8(ascii: "_"): UInt8(ascii: "/")
                default: letter
                }
            } + padding, as: UTF8.self)
    }
}
