/// The app's product identifier of one edition, such as `com.example.title.2026-11`.
///
/// An identifier consists of 1 to 128 bytes of `A–Z a–z 0–9 . _ -`, does not start with a dot and does not contain
/// `..`. The excluded characters matter:
///
/// - A colon would make `edition:salt:secret` ambiguous. Source: Pitfall 3, “Delimiter confusion in the edition
///   password”.
/// - A slash or a percent sign could be read differently in a path and in the rule.
/// - An empty identifier is part of the feed's password formula and must never open an edition. Source: Edition
///   credentials and the content gate, “Feed password”.
public struct EditionID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Creates an identifier, or returns nil if the text is not an acceptable edition identifier.
    public init?(_ text: some StringProtocol) {
        var text = String(text)
        guard text.withUTF8(Self.accepts) else { return nil }
        rawValue = text
    }

    public var description: String { rawValue }

    public static func < (left: EditionID, right: EditionID) -> Bool { left.rawValue < right.rawValue }

    private static func accepts(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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
