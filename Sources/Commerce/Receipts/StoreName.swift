import Gatefold

/// The name of an app store in the configuration. It is part of every purchase and follows the rules of a
/// `PublicationID`.
public struct StoreName: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let rawValue: String

    /// Creates a name, or returns nil if the text is invalid.
    public init?(_ text: some StringProtocol) {
        guard PublicationID(text) != nil else { return nil }
        rawValue = String(text)
    }

    public var description: String { rawValue }

    public static func < (left: StoreName, right: StoreName) -> Bool { left.rawValue < right.rawValue }
}

/// The stores whose receipts Gatefold can verify.
public enum StoreKind: String, Sendable, CaseIterable {
    case apple
    case google
    case amazon
}

/// The environment of a purchase.
///
/// Source: App Store protocol, “Environments without a signature”.
public enum StoreEnvironment: String, Sendable, CaseIterable {
    case production
    /// Test accounts, without payment.
    case sandbox
    /// A developer's own machine. Its signer is not verifiable, so it is never allowed together with the two
    /// environments above.
    case xcode
    case localTesting = "local-testing"

    /// A Boolean value that indicates whether the developer's own machine signs the receipts.
    public var isLocal: Bool { self == .xcode || self == .localTesting }
}
