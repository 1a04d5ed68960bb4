import Primitives

/// The quoted-printable encoding of text (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// The maximum length of a line, without its CRLF.
    static let maxLineLength = 76

    /// Encodes a text.
    ///
    /// - Parameter text: A text with any line endings. The encoded lines end with CRLF, including the last.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 5 / 4)
        for line in lines(text) { encode(line, into: &encoded) }
        return encoded
    }

    /// Splits a text into lines at CRLF, CR and LF.
    private static func lines(_ text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var wasReturn = false
        for byte in text.utf8 {
            switch byte {
            case 0x0A where wasReturn: break
            case 0x0A, 0x0D:
                lines.append(line)
                line = []
            default: line.append(byte)
            }
            wasReturn = byte == 0x0D
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func encode(_ line: [UInt8], into encoded: inout [UInt8]) {
        var width = 0
        for (index, byte) in line.enumerated() {
            let piece = mustBeEncoded(byte, isFirst: width == 0, isLast: index == line.count - 1) ? hex(byte) : [byte]
            // One column is reserved for the soft line break.
            if width + piece.count > maxLineLength - 1 {
                encoded += Array("=\r\n".utf8)
                // A character at the start of a line may need encoding for that reason alone.
                let moved = mustBeEncoded(byte, isFirst: true, isLast: index == line.count - 1) ? hex(byte) : [byte]
                encoded += moved
                width = moved.count
            } else {
                encoded += piece
                width += piece.count
            }
        }
        encoded += [0x0D, 0x0A]
    }

    private static func mustBeEncoded(_ byte: UInt8, isFirst: Bool, isLast: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "="): true
        // Mail servers may remove white space at the end of a line.
        case 0x20, 0x09: isLast
        // SMTP doubles a dot at the start of a line, and old mailbox formats alter `From` there. Neither occurs.
        case UInt8(ascii: "."), UInt8(ascii: "F"): isFirst
        case 0x21...0x7E: false
        default: true
        }
    }

    private static func hex(_ byte: UInt8) -> [UInt8] { [UInt8(ascii: "=")] + Hexadecimal.upperCaseDigits(byte) }
}
