/// What an app store gave out for a purchase.
public enum StoreReceipt: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The app receipt or the signed transaction, as the device has it.
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

    /// A receipt is as good as the purchase: it is never shown.
    public var description: String { "StoreReceipt(\(store), redacted)" }
    public var debugDescription: String { description }
}

/// What a receipt is for.
public enum StoreProduct: Sendable, Hashable {
    case fee(item: Int, accessFee: Int)
    /// By its name in the store.
    case named(String)

    /// Reads an identifier of the form `ITEM_FEE`, both whole numbers; further parts count for nothing (PROTOCOLS 5.2).
    ///
    /// - Returns: nil for one of another form.
    public init?(identifier: String) {
        let parts = identifier.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count >= 2, let item = Int(parts[0]), let fee = Int(parts[1]), item > 0, fee > 0 else { return nil }
        self = .fee(item: item, accessFee: fee)
    }
}
