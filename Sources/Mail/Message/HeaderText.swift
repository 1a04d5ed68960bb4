import Foundation

/// Text in a header: a subject, or somebody's name.
enum HeaderText {
    /// What a header can show of a text: control characters and line breaks become spaces, and none is left at either end.
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

    /// As itself where that can be read in one way only, and else in encoded words (RFC 2047), each of 75 characters at most
    /// on a line of its own.
    ///
    /// - Parameter extra: characters that may stand as themselves beside letters, digits and spaces; where a name stands,
    ///   those that have a meaning may not.
    static func encode(_ text: String, allowing extra: Set<UInt8>) -> String {
        let shown = shown(text)
        let isPlain =
            shown.utf8.count <= 60 && !shown.contains("=?") && !shown.contains("  ")
            && shown.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x20 || extra.contains($0) }
        return isPlain ? shown : words(shown).joined(separator: "\r\n ")
    }

    /// Every visible character.
    static let inSubjects = Set<UInt8>(0x21...0x7E)
    /// What an atom may hold (RFC 5322, section 3.2.3).
    static let inNames = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var piece: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // `=?utf-8?B?` and `?=` leave 63, in which 45 bytes are 60 letters; no character is cut in two.
            if piece.count + bytes.count > 45 {
                words.append(word(piece))
                piece = []
            }
            piece += bytes
        }
        if !piece.isEmpty { words.append(word(piece)) }
        return words
    }

    private static func word(_ bytes: [UInt8]) -> String { "=?utf-8?B?\(Data(bytes).base64EncodedString())?=" }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
