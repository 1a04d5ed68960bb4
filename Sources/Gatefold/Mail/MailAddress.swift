/// An address that a letter can be sent to: ASCII letters, digits and `.!#$%&'*+-/=?^_{|}~` and the grave accent in front
/// of the `@`, a host name behind it.
///
/// That is RFC 5321's `Mailbox` without quoted local parts and address literals, which no reader has and which hide
/// injections, and without those of SMTPUTF8 (RFC 6531), for which every server on the way would be needed. Nothing in it has
/// to be escaped in a header or in an SMTP command. A domain with other letters is written in its ASCII form (`xn--…`).
public struct MailAddress: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The address itself.
    public let text: String
    /// What is behind the `@`, in lower case.
    public let domain: String

    /// Nil for texts that are none; white space around one is not part of it.
    public init?(_ typed: String) {
        let bytes = Array(typed.utf8)
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return nil }
        let parts = bytes[first...last].split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        // 254 is what a path of 256 has room for (RFC 5321, section 4.5.3.1).
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
