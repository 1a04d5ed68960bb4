/// An e-mail address that mail can be sent to: ASCII letters, digits and `.!#$%&'*+-/=?^_{|}~` and the grave accent
/// before the `@`, and a host name after it.
///
/// The syntax is `Mailbox` of RFC 5321 with two exceptions. It excludes quoted local parts and address literals,
/// because no reader has them and they hide injections. It excludes the addresses of SMTPUTF8 (RFC 6531), because
/// every server on the route would have to support it. No character of the address needs an escape in a header or
/// in an SMTP command. A domain with other letters is written in its ASCII format (`xn--…`).
public struct MailAddress: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The address text.
    public let text: String
    /// The domain after the `@`, in lower case.
    public let domain: String

    /// Parses an address without the white space around it, or returns nil if the text is not an address.
    public init?(_ typed: String) {
        let bytes = Array(typed.utf8)
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return nil }
        let parts = bytes[first...last].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // The limit is 254 because a path has at most 256 octets (RFC 5321, section 4.5.3.1).
        guard last - first < 254, parts.count == 2, Self.isLocalPart(parts[0]), Self.isDomain(parts[1]) else {
            return nil
        }
        text = String(decoding: bytes[first...last], as: UTF8.self)
        domain = String(decoding: parts[1], as: UTF8.self).lowercased()
    }

    public var description: String { "MailAddress(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func isLocalPart(_ part: ArraySlice<UInt8>) -> Bool {
        part.count <= 64
            && part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
                !atom.isEmpty && atom.allSatisfy { isLetterOrDigit($0) || signs.contains($0) }
            }
    }

    private static func isDomain(_ part: ArraySlice<UInt8>) -> Bool {
        let labels = part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let hyphen = UInt8(ascii: "-")
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { isLetterOrDigit($0) || $0 == hyphen }
        } && labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == false
    }

    private static let signs = Set("!#$%&'*+-/=?^_`{|}~".utf8)

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
