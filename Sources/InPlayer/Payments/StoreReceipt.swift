/// A receipt of an app store for a purchase.
public enum StoreReceipt: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app receipt or the signed transaction, unchanged from the device.
    case apple(String)
    case googlePlay(String)
    case amazon(String, userID: String)
    case roku(String)

    var store: String {
        switch self {
        case .apple: "apple"
        case .googlePlay: "google-play"
        case .amazon: "amazon"
        case .roku: "roku"
        }
    }

    var receipt: String {
        switch self {
        case .apple(let receipt), .googlePlay(let receipt), .amazon(let receipt, userID: _), .roku(let receipt): receipt
        }
    }

    /// The description without the receipt, because the receipt is as valuable as the purchase.
    public var description: String { "StoreReceipt(\(store), redacted)" }
    public var debugDescription: String { description }
}

/// The product of a receipt.
public enum StoreProduct: Sendable, Hashable {
    case fee(item: Int, accessFee: Int)
    /// The product, identified by its name in the store.
    case named(String)

    /// Reads an identifier of the format `ITEM_FEE`, both whole numbers. Further parts are ignored.
    ///
    /// Source: InPlayer protocol, “Product identifiers on iOS”.
    ///
    /// - Returns: The product, or nil if the identifier has another format.
    public init?(identifier: String) {
        let parts = identifier.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count >= 2, let item = Int(parts[0]), let fee = Int(parts[1]), item > 0, fee > 0 else { return nil }
        self = .fee(item: item, accessFee: fee)
    }
}
