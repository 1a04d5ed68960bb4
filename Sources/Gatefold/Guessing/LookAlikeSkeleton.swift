import Foundation

/// The form of an identifier that all spellings share which some database may take for the same (PITFALLS row 22).
///
/// It keeps letters and digits only: without case, accents, width, spaces, punctuation and invisible characters, and without
/// the differences that only some languages' collations make, such as `ä` and `ae`, `ü` and `y`. Of a number it keeps no zeros at
/// its ends, because a system that compares numbers takes `0012` and `12.00` for 12. Different people may have the same
/// skeleton, so it never says who somebody is. It serves to count attempts, where one counter too few for two similar names
/// only makes guessing slower.
public enum LookAlikeSkeleton {
    public static func of(_ identifier: String) -> String {
        var skeleton = pass(identifier)
        // One pass hardly ever leaves anything to a second; bounded, because a test cannot prove that for all of Unicode.
        for _ in 0..<4 {
            let again = pass(skeleton)
            if again == skeleton { break }
            skeleton = again
        }
        let isNumber = !skeleton.isEmpty && skeleton.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? LeadingNumber.withoutOuterZeros(skeleton) : skeleton
    }

    /// The skeleton, and of an identifier that begins as a number the numbers that a system may read there instead (``LeadingNumber``).
    ///
    /// Two spellings that some system takes for the same have one of these in common. One text could not be that: `12-3` is `123` to a
    /// system that drops the hyphen, and `12` to one that leaves unread whatever follows a number.
    public static func all(of identifier: String) -> [String] {
        var texts = [of(identifier)]
        for reading in LeadingNumber.readings(of: identifier) where !texts.contains(reading) { texts.append(reading) }
        return texts
    }

    private static func pass(_ text: String) -> String {
        var kept: [Unicode.Scalar] = []
        for scalar in text.decomposedStringWithCompatibilityMapping.unicodeScalars {
            if let replacement = CollationEquivalents.replacements[scalar] {
                for letter in replacement.unicodeScalars { append(letter, to: &kept) }
            } else if isLetterOrNumber(scalar) {
                // By way of the upper case: ß is SS there, and final sigma the same as any other.
                for upper in scalar.properties.uppercaseMapping.unicodeScalars {
                    for lower in upper.properties.lowercaseMapping.unicodeScalars { take(lower, &kept) }
                }
            }
        }
        return String(String.UnicodeScalarView(kept))
    }

    private static func take(_ scalar: Unicode.Scalar, _ kept: inout [Unicode.Scalar]) {
        if let replacement = CollationEquivalents.replacements[scalar] {
            for letter in replacement.unicodeScalars { append(letter, to: &kept) }
        } else if let plain = plain[scalar] {
            for letter in plain.unicodeScalars { append(letter, to: &kept) }
        } else if let number = number(scalar) {
            for digit in String(number).unicodeScalars { append(digit, to: &kept) }
        } else if isLetterOrNumber(scalar) {
            append(scalar, to: &kept)
        }
    }

    /// Joins what a collation may write as one letter or as two: `ss` and `ß`, `ae` and `ä`, `aa` and `å`.
    private static func append(_ scalar: Unicode.Scalar, to kept: inout [Unicode.Scalar]) {
        switch (kept.last, scalar) {
        case ("s", "s"), ("a", "a"), ("a", "e"), ("o", "e"), ("u", "e"): break
        // Swedish and Danish sort ü as y.
        case (_, "y"): kept.append("u")
        default: kept.append(scalar)
        }
    }

    /// Letters that Unicode does not take apart.
    private static let plain: [Unicode.Scalar: String] = [
        "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ĸ": "k",
        "ŋ": "n",
    ]

    static func isLetterOrNumber(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    /// The value of a digit or whole number of any script.
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
