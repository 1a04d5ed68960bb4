import Primitives

/// The variables of an app's URL template. The app leaves a variable in place if it has no value for it, as in
/// `sip:%account[username]%@example.com`. Source: Cloud Softphone protocol, “Template variables”.
package enum TemplateVariable {
    /// Returns whether the text contains a variable: a name between percent signs, or a name followed by a key in
    /// brackets.
    ///
    /// The variable may be percent-encoded several times, because a component that fills in URLs escapes the
    /// variables that the app left in place. As the name of an account or a device, such a text would be the same
    /// for every reader.
    package static func occurs(in text: String) -> Bool {
        guard text.utf8.contains(percent) else { return false }
        var form = Array(text.utf8)
        // No component escapes more often. A text that is still escaped after that is not an account name either.
        for _ in 0..<maxEscapeLevels {
            if holdsVariable(form[...]) { return true }
            let unescaped = unescaped(form)
            if unescaped.count == form.count { return false }
            form = unescaped
        }
        return true
    }

    private static let maxEscapeLevels = 8
    private static let percent = UInt8(ascii: "%")

    private static func holdsVariable(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        while let start = rest.firstIndex(of: percent) {
            rest = rest[start...].dropFirst()
            if isVariable(rest) { return true }
        }
        return false
    }

    /// Returns whether the text starts with a variable.
    ///
    /// - Parameter text: The text after a percent sign.
    private static func isVariable(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        let rest = text.drop(while: isInName)
        guard rest.first == UInt8(ascii: "[") else { return rest.first == percent }
        // With a key, the closing percent sign may be missing, because an escape may have consumed it.
        return rest.first { $0 == UInt8(ascii: "]") || $0 == percent } == UInt8(ascii: "]")
    }

    /// Removes one level of escapes. Malformed escapes and escapes of non-ASCII bytes remain, because `%account`
    /// starts with such an escape.
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
