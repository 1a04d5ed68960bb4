/// The short name of a publication: the first path segment of its calls, and its key in the configuration.
///
/// A name consists of 1 to 64 lower-case letters, digits, `-` and `_`, and starts with a letter or digit. It
/// therefore needs no escape in a URL, a file name or a metric label.
public struct PublicationID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Creates a name, or returns nil if the text is not a publication name.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard (1...64).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
            bytes.allSatisfy({ Self.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { return nil }
        rawValue = String(text)
    }

    public var description: String { rawValue }

    public static func < (left: PublicationID, right: PublicationID) -> Bool { left.rawValue < right.rawValue }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
