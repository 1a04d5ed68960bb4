/// The name an app store has in the configuration; it is part of every purchase. Spelt like a ``PublicationID``.
public struct StoreName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Returns nil when the text is not such a name.
    public init?(_ text: some StringProtocol) {
        guard PublicationID(text) != nil else { return nil }
        rawValue = String(text)
    }

    public var description: String { rawValue }

    public static func < (left: StoreName, right: StoreName) -> Bool { left.rawValue < right.rawValue }
}

/// The stores whose receipts Gatefold reads.
public enum StoreKind: String, Sendable, CaseIterable {
    case apple
    case google
    case amazon
}

/// Where a purchase was made (PROTOCOLS 6.3).
public enum StoreEnvironment: String, Sendable, CaseIterable {
    case production
    /// Test accounts: nobody paid.
    case sandbox
    /// A developer's own machine. Signed by nobody we could know, so never together with the two above.
    case xcode
    case localTesting = "local-testing"

    /// Whether receipts of it are signed by the developer's own machine.
    public var isLocal: Bool { self == .xcode || self == .localTesting }
}
