/// Text as quoted-printable (RFC 2045, section 6.7).
enum QuotedPrintable {
    /// Without the line's end.
    static let longestLine = 76

    /// - Parameter text: any; whatever ends its lines, the encoded ones end with CRLF, the last one too.
    static func encode(_ text: String) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count * 5 / 4)
        for line in lines(text) { encode(line, into: &encoded) }
        return encoded
    }

    /// CRLF, CR and LF each end a line.
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
            // One column stays free for the sign that the line goes on.
            if width + piece.count > longestLine - 1 {
                encoded += Array("=\r\n".utf8)
                // What is first in its line may have to be encoded for that alone.
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
        // White space at a line's end gets lost on the way.
        case 0x20, 0x09: isLast
        // A dot that begins a line is doubled by SMTP, and `From` is by mailboxes of old: neither occurs.
        case UInt8(ascii: "."), UInt8(ascii: "F"): isFirst
        case 0x21...0x7E: false
        default: true
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func hex(_ byte: UInt8) -> [UInt8] {
        [UInt8(ascii: "="), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
