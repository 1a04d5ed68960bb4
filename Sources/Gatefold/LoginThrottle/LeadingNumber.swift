/// The numbers that a system may read at the beginning of an identifier, for example a number column that is
/// compared with text, or a program that converts its input. Many spellings have the same value, and some systems
/// ignore all text after the number.
///
/// Only ASCII digits count, as in `strtod` and `strtol` of C. With other digits, the ignored text would begin
/// elsewhere. ``LookAlikeSkeleton`` handles the digits of other scripts.
enum LeadingNumber {
    /// Returns the number's value without its fraction, and the whole number in front of its point or exponent.
    /// Both are without sign and without leading and trailing zeros. The result is empty if the identifier does not
    /// begin as a number after any leading signs.
    ///
    /// Values are compared as 64-bit floating-point numbers, as in MariaDB. No exponent makes a text longer than
    /// about 20 digits.
    static func readings(of identifier: String) -> [String] {
        let scalars = identifier.unicodeScalars
        guard let start = scalars.firstIndex(where: LookAlikeSkeleton.isLetterOrNumber) else { return [] }
        var rest = identifier.utf8[start...]
        guard let first = rest.first, isDigit(first) else { return [] }
        let hasPointInFront = start > scalars.startIndex && scalars[scalars.index(before: start)] == "."
        let integerPart = hasPointInFront ? "" : digits(&rest)
        var fraction = ""
        if hasPointInFront {
            fraction = digits(&rest)
        } else if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = digits(&rest)
        }
        let text = "\(integerPart.isEmpty ? "0" : integerPart).\(fraction.isEmpty ? "0" : fraction)\(exponent(rest))"
        return [Double(text).flatMap(significantDigits), withoutOuterZeros(integerPart)].compactMap(\.self)
    }

    /// Returns digits without leading and trailing zeros, which only give the size of a number. Digits of zeros
    /// only become one zero.
    ///
    /// Systems that read digits in groups drop other characters between them, so the number of zeros that belong to
    /// a fraction is unknown.
    static func withoutOuterZeros(_ digits: String) -> String {
        let inner = digits.utf8.drop { $0 == zero }
        guard let last = inner.lastIndex(where: { $0 != zero }) else { return "0" }
        return String(decoding: inner[...last], as: UTF8.self)
    }

    private static func significantDigits(_ value: Double) -> String? {
        guard value.isFinite else { return nil }
        if let integerPart = Int64(exactly: value.rounded(.towardZero)) {
            return withoutOuterZeros(String(integerPart))
        }
        // The description has the format `1.2345e+20`.
        return withoutOuterZeros(
            String(decoding: "\(value)".utf8.prefix { $0 | 0x20 != letterE }.filter(isDigit), as: UTF8.self))
    }

    /// Returns the exponent with its letter, or an empty text if there is none.
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
