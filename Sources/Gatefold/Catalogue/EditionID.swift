/// The app's product identifier of one edition, such as `com.example.title.2026-11`.
///
/// One to 128 bytes of `A–Z a–z 0–9 . _ -`, not beginning with a dot and without `..`. What is left out matters: a colon
/// would make `edition:salt:secret` ambiguous (PITFALLS row 3), a slash or a percent sign would read differently in a
/// path than in the rule, and an empty identifier is the feed's formula (PROTOCOLS 1.2), which must never open an edition.
public struct EditionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Returns nil when the text is not an acceptable edition identifier.
    public init?(_ text: some StringProtocol) {
        guard Self.accepts(text.utf8) else { return nil }
        rawValue = String(text)
    }

    public var description: String { rawValue }

    public static func < (left: EditionID, right: EditionID) -> Bool { left.rawValue < right.rawValue }

    private static func accepts(_ bytes: some Collection<UInt8>) -> Bool {
        guard (1...128).contains(bytes.count), bytes.first != UInt8(ascii: ".") else { return false }
        var previous: UInt8 = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                break
            case UInt8(ascii: "."):
                if previous == UInt8(ascii: ".") { return false }
            default:
                return false
            }
            previous = byte
        }
        return true
    }
}
