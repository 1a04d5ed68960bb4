/// What a ``Pseudonym`` stands for, and how much of the digest it takes.
public protocol PseudonymKind: Sendable {
    /// In bytes.
    static var size: Int { get }
}

/// Stands for what must not be named: the beginning of a keyed digest.
///
/// Without the ``ReferenceKey`` it tells nothing.
public struct Pseudonym<Kind: PseudonymKind>: Hashable, Sendable, CustomStringConvertible {
    public static var size: Int { Kind.size }
    public let bytes: [UInt8]

    /// Returns nil unless there are exactly ``size`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the form that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    /// - Parameter digest: at least ``size`` bytes.
    init(digest: [UInt8]) {
        bytes = Array(digest.prefix(Self.size))
    }

    public var description: String { Hexadecimal.encode(bytes) }
}
