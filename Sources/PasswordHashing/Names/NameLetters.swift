/// The character classes of ``NameFolding``.
enum NameLetters {
    /// Maps every kind of apostrophe and hyphen to the ASCII character.
    static func unified(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        // ’ ‘ ‛ ʼ ʻ ʽ ʾ ʿ ʹ ′ ` ´ ＇ ׳
        case "\u{2019}", "\u{2018}", "\u{201B}", "\u{02BC}", "\u{02BB}", "\u{02BD}", "\u{02BE}", "\u{02BF}", "\u{02B9}",
            "\u{2032}", "`", "\u{B4}", "\u{FF07}", "\u{FF40}", "\u{5F3}", "\u{1FBD}", "\u{1FBF}", "\u{1FEF}",
            "\u{1FFD}", "\u{1FFE}", "\u{374}":
            "'"
        // ‐ ‑ ‒ – — ― ⁃ − ﹘ ﹣ － ־
        case "\u{2010}"..."\u{2015}", "\u{2043}", "\u{2212}", "\u{FE58}", "\u{FE63}", "\u{FF0D}", "\u{5BE}":
            "-"
        default: scalar
        }
    }

    /// Letters that Unicode does not decompose, with their spelling on a keyboard that lacks them.
    static let plain: [Unicode.Scalar: String] = [
        "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ł": "l", "Ł": "L", "ħ": "h", "Ħ": "H",
        "ŧ": "t", "Ŧ": "T", "þ": "th", "Þ": "TH", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ı": "i", "ĸ": "k",
        "ŋ": "n", "Ŋ": "N", "ß": "ss", "ẞ": "SS",
    ]

    /// Returns whether a scalar is a combining accent of an alphabet used in names, including the points of Hebrew
    /// and Arabic. The vowel signs of Indic scripts and the voicing marks of kana are excluded, because names
    /// without them are other names.
    static func isAccent(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0300...0x036F, 0x0483...0x0489, 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7,
            0x0610...0x061A, 0x064B...0x065F, 0x0670, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
            0xFE20...0xFE2F:
            true
        default: false
        }
    }

    /// Returns whether a scalar is a joiner, a direction mark, a soft hyphen or a control. They are invisible and
    /// are not typed on purpose.
    static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .format: true
        case .control: !scalar.properties.isWhitespace
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }

    static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
    }

    /// Returns the ASCII digit for a decimal digit of any script.
    static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.properties.generalCategory == .decimalNumber, let value = scalar.properties.numericValue else {
            return nil
        }
        return Unicode.Scalar(UInt8(0x30 + Int(value)))
    }
}
