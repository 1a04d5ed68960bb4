/// The variables of an app's URL template, which the app left as they are where it has no value for them, as in
/// `sip:%account[username]%@example.com` (PROTOCOLS 4).
package enum TemplateVariable {
    /// Returns whether a variable occurs in the text: a name between percent signs, perhaps with a key in brackets behind it.
    ///
    /// As a name of an account or a device such a text would be the same for every reader.
    package static func occurs(in text: String) -> Bool {
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: percent) {
            rest = rest[start...].dropFirst()
            if isVariable(rest) { return true }
        }
        return false
    }

    private static let percent = UInt8(ascii: "%")

    /// - Parameter text: what follows a percent sign.
    private static func isVariable(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        var rest = text.drop(while: isInName)
        if rest.first == UInt8(ascii: "[") {
            rest = rest.drop { $0 != UInt8(ascii: "]") && $0 != percent }.dropFirst()
        }
        return rest.first == percent
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "_.-".utf8.contains(byte)
    }
}
