/// The numbers that a system may read at the beginning of an identifier: a number column that is compared with text, or a program
/// that converts what it was sent. Many spellings have one value, and some systems leave unread whatever follows the number.
///
/// Only ASCII digits, as in the `strtod` and `strtol` of C: with others, what is left unread would begin elsewhere. Digits of other
/// scripts are the skeleton's.
enum LeadingNumber {
    /// The number's value without its fraction, and the whole number in front of its point or exponent, each without its sign and
    /// the zeros at both ends. Empty where the identifier does not begin as a number, whatever signs are in front of it.
    ///
    /// Values are compared as 64-bit floating-point numbers, as MariaDB does. No exponent makes a text longer than some 20 digits.
    static func readings(of identifier: String) -> [String] {
        let scalars = identifier.unicodeScalars
        guard let start = scalars.firstIndex(where: LookAlikeSkeleton.isLetterOrNumber) else { return [] }
        var rest = identifier.utf8[start...]
        guard let first = rest.first, isDigit(first) else { return [] }
        let hasPointInFront = start > scalars.startIndex && scalars[scalars.index(before: start)] == "."
        let whole = hasPointInFront ? "" : digits(&rest)
        var fraction = ""
        if hasPointInFront {
            fraction = digits(&rest)
        } else if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = digits(&rest)
        }
        let text = "\(whole.isEmpty ? "0" : whole).\(fraction.isEmpty ? "0" : fraction)\(exponent(rest))"
        return [Double(text).flatMap(significantDigits), withoutOuterZeros(whole)].compactMap(\.self)
    }

    /// Digits without the zeros at both ends, which say how large a number is, and not which; of nothing but zeros one.
    ///
    /// Systems that read digits in groups drop other signs between them, so how many zeros belong to a fraction can not be said.
    static func withoutOuterZeros(_ digits: String) -> String {
        let inner = digits.utf8.drop { $0 == zero }
        guard let last = inner.lastIndex(where: { $0 != zero }) else { return "0" }
        return String(decoding: inner[...last], as: UTF8.self)
    }

    private static func significantDigits(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        if let whole = Int64(exactly: value.rounded(.towardZero)) { return withoutOuterZeros(String(whole)) }
        // As in `1.2345e+20`.
        return withoutOuterZeros(
            String(decoding: "\(value)".utf8.prefix { $0 | 0x20 != letterE }.filter(isDigit), as: UTF8.self))
    }

    /// With the letter; empty where none is there.
    private static func exponent(_ text: Substring.UTF8View) -> String {
        guard let letter = text.first, letter | 0x20 == letterE else { return "" }
        var rest = text.dropFirst()
        var sign = ""
        if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            sign = first == UInt8(ascii: "-") ? "-" : ""
            rest.removeFirst()
        }
        let digits = digits(&rest)
        return digits.isEmpty ? "" : "e\(sign)\(digits)"
    }

    private static func digits(_ text: inout Substring.UTF8View) -> String {
        let digits = text.prefix(while: isDigit)
        text = text[digits.endIndex...]
        return String(decoding: digits, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (zero...UInt8(ascii: "9")).contains(byte) }

    private static let zero = UInt8(ascii: "0")
    private static let letterE = UInt8(ascii: "e")
}
