/// The encoding of texts between this process and a driver.
public enum ODBCEncoding: String, Sendable, CaseIterable {
    /// UTF-16. The driver converts from and to the database's encoding for each column. It is correct for every
    /// driver that supports Unicode.
    case driver
    /// UTF-8 bytes.
    case utf8 = "utf-8"
    /// ISO 8859-1 bytes.
    case latin1
    /// The bytes of windows-1252. Its five undefined bytes are control characters, as in the WHATWG Encoding
    /// Standard.
    case windows1252 = "windows-1252"

    /// Encodes a text. Returns nil when a character has no byte in this encoding.
    func encode(_ text: String) -> [UInt8]? {
        switch self {
        case .driver, .utf8:
            return Array(text.utf8)
        case .latin1, .windows1252:
            var bytes: [UInt8] = []
            // A byte represents a letter with its accent, so the composed and the decomposed spelling have the same
            // result.
            for character in text {
                guard let byte = byte(for: character) else { return nil }
                bytes.append(byte)
            }
            return bytes
        }
    }

    /// Decodes bytes. Returns nil when the bytes are not text in this encoding.
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

    /// Returns the single scalar that is canonically equivalent to a character of several scalars, if these
    /// encodings contain it.
    private static func composed(_ character: Character) -> Unicode.Scalar? {
        let candidates = (UInt8(0xC0)...0xFF).map { Unicode.Scalar($0) } + upperControls
        return candidates.first { Character($0) == character }
    }

    /// The characters of windows-1252 from 0x80 to 0x9F.
    private static let upperControls: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}",
        "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}",
        "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]
}
