/// The text encoding of a feed. Decoding is strict: a byte that represents no character makes its row a bad row.
enum TextEncoding: String, Sendable, CaseIterable {
    case utf8 = "utf-8"
    case latin1
    case windows1252 = "windows-1252"

    /// Returns the text in UTF-8. A byte without a meaning becomes a byte that is invalid in UTF-8, so that the
    /// parser detects it.
    func utf8(_ bytes: [UInt8]) -> [UInt8] {
        guard self != .utf8, bytes.contains(where: { $0 >= 0x80 }) else { return bytes }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count + bytes.count / 8)
        for byte in bytes {
            switch byte {
            case ..<0x80: text.append(byte)
            case 0x80..<0xA0:
                // In Latin-1 these are control characters, which no name contains. The file is therefore
                // Windows-1252, or broken.
                let scalar = self == .windows1252 ? Self.windows[Int(byte) - 0x80] : 0
                guard let scalar = Unicode.Scalar(scalar), scalar != "\0" else {
                    text.append(0xFF)
                    continue
                }
                text.append(contentsOf: Array(String(Character(scalar)).utf8))
            default:
                text.append(0xC0 | byte >> 6)
                text.append(0x80 | byte & 0x3F)
            }
        }
        return text
    }

    /// The characters of 0x80 to 0x9F in Windows-1252 (the Unicode Consortium's CP1252.TXT), or 0 for an unassigned
    /// byte.
    private static let windows: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]
}
