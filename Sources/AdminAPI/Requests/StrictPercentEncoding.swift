import Primitives

/// The strict reader of percent-escapes: a malformed escape and bytes that are not UTF-8 are rejected.
package enum StrictPercentEncoding {
    /// Returns a text without its percent-escapes; nil for a malformed one.
    ///
    /// - Parameter isForm: Whether a plus is a space, as in a query.
    package static func decode(_ text: Substring, isForm: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+") where isForm: bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let decoded = Hexadecimal.byte(rest.prefix(2)) else { return nil }
                bytes.append(decoded)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
