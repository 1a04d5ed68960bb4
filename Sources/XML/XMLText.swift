/// The characters that XML 1.0 allows, and their escapes (XML 1.0 sections 2.2, 2.4 and 3.3.3).
enum XMLText {
    enum Place {
        case text
        case attribute
    }

    private static let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]

    /// Appends the text so that every parser reads the same text back. A character that XML cannot represent
    /// becomes U+FFFD.
    static func append(_ text: String, in place: Place, to bytes: inout [UInt8]) {
        var text = text
        let isDone = text.withUTF8 { utf8 in
            guard utf8.allSatisfy(isPlain) else { return false }
            bytes.append(contentsOf: utf8)
            return true
        }
        if isDone { return }
        forEachAllowed(text) { byte in
            switch byte {
            case UInt8(ascii: "&"): bytes.append(contentsOf: "&amp;".utf8)
            case UInt8(ascii: "<"): bytes.append(contentsOf: "&lt;".utf8)
            case UInt8(ascii: ">"): bytes.append(contentsOf: "&gt;".utf8)
            // A parser reads a bare carriage return as a line feed.
            case 0x0D: bytes.append(contentsOf: "&#13;".utf8)
            // A parser reads any white space in an attribute as a space.
            case 0x0A where place == .attribute: bytes.append(contentsOf: "&#10;".utf8)
            case 0x09 where place == .attribute: bytes.append(contentsOf: "&#9;".utf8)
            case UInt8(ascii: "\"") where place == .attribute: bytes.append(contentsOf: "&quot;".utf8)
            default: bytes.append(byte)
            }
        }
    }

    /// Returns true for a byte that needs no escape anywhere. Most texts consist only of such bytes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): false
        default: (0x20..<0x80).contains(byte)
        }
    }

    /// Appends the text of a comment. Two consecutive hyphens, which would end the comment, are separated by a
    /// space.
    static func appendComment(_ text: String, to bytes: inout [UInt8]) {
        forEachAllowed(text) { byte in
            if byte == UInt8(ascii: "-"), bytes.last == UInt8(ascii: "-") { bytes.append(UInt8(ascii: " ")) }
            bytes.append(byte)
        }
    }

    /// Passes the UTF-8 bytes of the text to `body`, with U+FFFD in place of each character that XML 1.0 forbids:
    /// most control characters, U+FFFE and U+FFFF. A `String` holds no lone surrogate.
    private static func forEachAllowed(_ text: String, _ body: (UInt8) -> Void) {
        var text = text
        text.withUTF8 { utf8 in
            var index = 0
            while index < utf8.count {
                let byte = utf8[index]
                if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                    replacement.forEach(body)
                    index += 1
                } else if byte == 0xEF, utf8[index + 1] == 0xBF, utf8[index + 2] >= 0xBE {
                    replacement.forEach(body)
                    index += 3
                } else {
                    body(byte)
                    index += 1
                }
            }
        }
    }
}
