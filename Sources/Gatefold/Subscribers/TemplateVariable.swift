/// The variables of an app's URL template, which the app left as they are where it has no value for them, as in
/// `sip:%account[username]%@example.com` (PROTOCOLS 4).
package enum TemplateVariable {
    /// Returns whether a variable occurs in the text: a name between percent signs, or with a key in brackets behind it. It may have
    /// been escaped, also more than once: whatever fills in URLs escapes what the app left in them.
    ///
    /// As a name of an account or a device such a text would be the same for every reader.
    package static func occurs(in text: String) -> Bool {
        guard text.utf8.contains(percent) else { return false }
        var form = Array(text.utf8)
        // Nobody escapes more often than that; what is still escaped then is no name of an account either.
        for _ in 0..<mostEscapings {
            if holdsVariable(form[...]) { return true }
            let unescaped = unescaped(form)
            if unescaped.count == form.count { return false }
            form = unescaped
        }
        return true
    }

    private static let mostEscapings = 8
    private static let percent = UInt8(ascii: "%")

    private static func holdsVariable(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let start = rest.firstIndex(of: percent) {
            rest = rest[start...].dropFirst()
            if isVariable(rest) { return true }
        }
        return false
    }

    /// - Parameter text: what follows a percent sign.
    private static func isVariable(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        let rest = text.drop(while: isInName)
        guard rest.first == UInt8(ascii: "[") else { return rest.first == percent }
        // With a key, the percent sign behind it may have been lost with an escape.
        return rest.first { $0 == UInt8(ascii: "]") || $0 == percent } == UInt8(ascii: "]")
    }

    /// A malformed escape stands for itself, and so does one of a byte that is not ASCII: `%account` begins with such a one.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var unescaped: [UInt8] = []
        unescaped.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(Hexadecimal.value)
            if byte == percent, digits.count == 2, digits[0] < 8 {
                unescaped.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                unescaped.append(byte)
            }
        }
        return unescaped
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_.-".utf8.contains(byte)
    }
}
