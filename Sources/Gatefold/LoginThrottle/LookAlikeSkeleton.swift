import Foundation

/// The skeleton of an identifier, which is the same for all spellings that some database may treat as equal.
///
/// A skeleton has letters and digits only: no case, accents, width, spaces, punctuation or invisible characters,
/// and none of the differences that only some languages' collations make, such as `ä` and `ae`, `ü` and `y`. A
/// number has no leading or trailing zeros, because a system that compares numbers treats `0012` and `12.00` as 12.
/// Different people may have the same skeleton, so it never identifies a person. It serves to count attempts. If
/// two similar names share a counter, the only effect is a lower limit for guesses.
///
/// Source: Pitfall 22, “Throttle key and backend equality differ”.
public enum LookAlikeSkeleton {
    public static func of(_ identifier: String) -> String {
        let skeleton =
            identifier.utf8.allSatisfy { $0 < 0x80 }
            ? String(decoding: settled(Array(identifier.utf8), asciiPass), as: UTF8.self)
            : settled(identifier, pass)
        let isNumber = !skeleton.isEmpty && skeleton.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? LeadingNumber.withoutOuterZeros(skeleton) : skeleton
    }

    /// Repeats a pass until it changes nothing.
    private static func settled<Text: Equatable>(_ text: Text, _ pass: (Text) -> Text) -> Text {
        var skeleton = pass(text)
        // One pass is almost always enough. The loop is bounded because no test can prove that for all of Unicode.
        for _ in 0..<4 {
            let again = pass(skeleton)
            if again == skeleton { break }
            skeleton = again
        }
        return skeleton
    }

    /// Returns the skeleton. If the identifier begins as a number, also returns the numbers that a system may read
    /// instead (`LeadingNumber`).
    ///
    /// Two spellings that some system treats as equal share at least one of the texts. A single text is not enough:
    /// `12-3` is `123` to a system that drops the hyphen, and `12` to a system that ignores all text after the
    /// number.
    public static func all(of identifier: String) -> [String] {
        var texts = [of(identifier)]
        for reading in LeadingNumber.readings(of: identifier) where !texts.contains(reading) { texts.append(reading) }
        return texts
    }

    private static func pass(_ text: String) -> String {
        var folded: [Unicode.Scalar] = []
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if let replacement = CollationEquivalents.replacements[scalar] {
                for letter in replacement.unicodeScalars { append(letter, to: &folded) }
            } else if isLetterOrNumber(scalar) {
                // The mapping goes through upper case, because ß is SS there, and final sigma is the same as any
                // other sigma.
                for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                    for lower in upper.properties.lowercaseMapping.unicodeScalars { take(lower, &folded) }
                }
            }
        }
        return String(String.UnicodeScalarView(folded))
    }

    /// Does what ``pass(_:)`` does, for ASCII texts, which Unicode neither decomposes nor replaces.
    private static func asciiPass(_ text: [UInt8]) -> [UInt8] {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.count)
        for byte in text where isLetterOrNumber(Unicode.Scalar(byte)) {
            // The bit distinguishes the cases of a letter, and every digit has it.
            let scalar = Unicode.Scalar(byte | 0x20)
            if let letter = merged(scalar, after: folded.last.map { Unicode.Scalar($0) }) {
                folded.append(UInt8(truncatingIfNeeded: letter.value))
            }
        }
        return folded
    }

    private static func take(_ scalar: Unicode.Scalar, _ folded: inout [Unicode.Scalar]) {
        if let replacement = CollationEquivalents.replacements[scalar] {
            for letter in replacement.unicodeScalars { append(letter, to: &folded) }
        } else if let plain = plain[scalar] {
            for letter in plain.unicodeScalars { append(letter, to: &folded) }
        } else if let number = number(scalar) {
            for digit in String(number).unicodeScalars { append(digit, to: &folded) }
        } else if isLetterOrNumber(scalar) {
            append(scalar, to: &folded)
        }
    }

    private static func append(_ scalar: Unicode.Scalar, to folded: inout [Unicode.Scalar]) {
        if let letter = merged(scalar, after: folded.last) { folded.append(letter) }
    }

    /// Returns the letter to append, or nil for none. Merges letters that a collation may write as one or as two:
    /// `ss` and `ß`, `ae` and `ä`, `aa` and `å`.
    private static func merged(_ scalar: Unicode.Scalar, after last: Unicode.Scalar?) -> Unicode.Scalar? {
        switch (last, scalar) {
        case ("s", "s"), ("a", "a"), ("a", "e"), ("o", "e"), ("u", "e"): nil
        // Swedish and Danish sort ü as y.
        case (_, "y"): "u"
        default: scalar
        }
    }

    /// Letters that Unicode does not decompose.
    private static let plain: [Unicode.Scalar: String] = [
        "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ĸ": "k",
        "ŋ": "n",
    ]

    static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": return true
        case "\0"..."\u{7F}": return false
        default: break
        }
        return switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// Returns the value of a digit or whole number of any script.
    private static func number(_ scalar: Unicode.Scalar) -> Int64? {
        switch scalar.properties.generalCategory {
        case .decimalNumber, .letterNumber, .otherNumber:
            guard let value = scalar.properties.numericValue, value >= 0, value == value.rounded(), value < 1e15 else {
                return nil
            }
            return Int64(value)
        default: return nil
        }
    }
}
