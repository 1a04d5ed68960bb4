/// Receipts as apps really write them: base64 of either alphabet, with or without padding and line breaks; or a signed
/// transaction, three such segments with dots between them (RFC 7515 section 7.1).
///
/// Clients send `+` unescaped, and reading a form or a query makes a space of it (PROTOCOLS 2.1 and 3).
package enum ReceiptText {
    /// The longest receipt that a front door takes, in letters.
    package static let longest = 256 << 10

    /// The one way to write a receipt of Apple's: base64 in the standard alphabet, padded and without line breaks, or a signed
    /// transaction as it is. Nil for what can be neither.
    ///
    /// A bare transaction identifier is no receipt: it can be guessed.
    package static func repaired(_ text: String) -> String? {
        guard text.utf8.count <= longest else { return nil }
        let letters = letters(text, space: UInt8(ascii: "-"))
        guard !letters.isEmpty, !letters.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let segments = letters.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.allSatisfy({ !$0.isEmpty && $0.allSatisfy(isLetter) }) else { return nil }
        switch segments.count {
        case 1: return letters.count % 4 == 1 ? nil : standard(letters)
        // Its header begins like a JSON object.
        case 3: return letters.starts(with: "eyJ".utf8) ? String(decoding: letters, as: UTF8.self) : nil
        default: return nil
        }
    }

    /// The text with its spaces made `+` again and its line ends left out, where everything else in it is base64 of either
    /// alphabet, or a dot; any other text as it is, because not every store's receipt is base64.
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

    /// The bytes that base64 stands for; nil for anything else. White space says nothing.
    package static func decoded(_ text: String) -> [UInt8]? { Base64URL.decode(letters: letters(text, space: nil)) }

    /// The bytes that base64 with spaces in it may stand for: each a `+`, or mere white space.
    package static func readings(_ text: String) -> [[UInt8]] {
        let spaces: [UInt8?] = text.utf8.contains(0x20) ? [UInt8(ascii: "-"), nil] : [nil]
        return spaces.compactMap { Base64URL.decode(letters: letters(text, space: $0)) }
    }

    /// In the URL-safe alphabet, without padding at the end, where it says nothing; what is no base64 stays.
    ///
    /// - Parameter space: what a space stands for; nil for nothing.
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

    /// Of the URL-safe alphabet.
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
