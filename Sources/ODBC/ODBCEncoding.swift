/// How texts travel between this process and a driver.
public enum ODBCEncoding: String, Sendable, CaseIterable {
    /// As UTF-16: the driver converts from and to the database's encoding, column by column. Right for every driver
    /// that knows Unicode.
    case driver
    /// As bytes in UTF-8.
    case utf8 = "utf-8"
    /// As bytes in ISO 8859-1.
    case latin1
    /// As bytes in windows-1252; the five bytes that it leaves open are control characters, as in the WHATWG Encoding
    /// Standard.
    case windows1252 = "windows-1252"

    /// Nil when a letter has no byte in this encoding.
    func encode(_ text: String) -> [UInt8]? {
        switch self {
        case .driver, .utf8:
            return Array(text.utf8)
        case .latin1, .windows1252:
            var bytes: [UInt8] = []
            // One byte stands for a letter with its accent, so both spellings of it are the same.
            for character in text {
                guard let byte = byte(for: character) else { return nil }
                bytes.append(byte)
            }
            return bytes
        }
    }

    /// Nil when the bytes are no text in this encoding.
    func decode(_ bytes: [UInt8]) -> String? {
        switch self {
        case .driver, .utf8:
            return String(validating: bytes, as: UTF8.self)
        case .latin1, .windows1252:
            var scalars = String.UnicodeScalarView()
            for byte in bytes { scalars.append(scalar(for: byte)) }
            return String(scalars)
        }
    }

    private func scalar(for byte: UInt8) -> Unicode.Scalar {
        self == .windows1252 && (0x80...0x9F).contains(byte)
            ? Self.upperControls[Int(byte) - 0x80] : Unicode.Scalar(byte)
    }

    private func byte(for character: Character) -> UInt8? {
        let composed = character.unicodeScalars.count == 1 ? nil : Self.composed(character)
        guard let scalar = composed ?? character.unicodeScalars.first,
            composed != nil || character.unicodeScalars.count == 1
        else { return nil }
        if self == .windows1252 {
            if let index = Self.upperControls.firstIndex(of: scalar) { return UInt8(0x80 + index) }
            if (0x80...0x9F).contains(scalar.value) { return nil }
        }
        return UInt8(exactly: scalar.value)
    }

    /// The one scalar that a character of several is canonically equivalent to, where there is one in these encodings.
    private static func composed(_ character: Character) -> Unicode.Scalar? {
        let candidates = (UInt8(0xC0)...0xFF).map { Unicode.Scalar($0) } + upperControls
        return candidates.first { Character($0) == character }
    }

    /// What windows-1252 has at 0x80 to 0x9F.
    private static let upperControls: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
