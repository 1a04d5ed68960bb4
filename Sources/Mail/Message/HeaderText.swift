import Foundation

/// Text in a header: a subject or a person's name.
enum HeaderText {
    /// Returns the displayable part of a text for a header. Control characters and line breaks become spaces, and
    /// spaces at both ends are removed.
    static func shown(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return String(scalars).trimmingCharacters(in: CharacterSet(charactersIn: " "))
    }

    /// Returns the text unchanged if it is unambiguous in a header, otherwise as encoded words (RFC 2047). Each
    /// encoded word has at most 75 characters and its own line.
    ///
    /// - Parameter extra: The further characters that need no encoding, in addition to letters, digits and spaces.
    ///   In a name, characters with a special meaning have to be excluded.
    static func encode(_ text: String, allowing extra: Set<UInt8>) -> String {
        let shown = shown(text)
        let isPlain =
            shown.utf8.count <= 60 && !shown.contains("=?") && !shown.contains("  ")
            && shown.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x20 || extra.contains($0) }
        return isPlain ? shown : words(shown).joined(separator: "\r\n ")
    }

    /// Every visible ASCII character.
    static let inSubjects = Set<UInt8>(0x21...0x7E)
    /// The characters that an atom may contain (RFC 5322, section 3.2.3).
    static let inNames = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var piece: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // `=?utf-8?B?` and `?=` leave 63 characters, enough for the 60 characters of 45 bytes. No character is
            // split.
            if piece.count + bytes.count > 45 {
                words.append(encodedWord(piece))
                piece = []
            }
            piece += bytes
        }
        if !piece.isEmpty { words.append(encodedWord(piece)) }
        return words
    }

    private static func encodedWord(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Data(bytes).base64EncodedString())?=" }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
