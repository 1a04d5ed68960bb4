/// The progress of a purchase.
public enum PurchaseProgress: Sendable, Hashable {
    /// The current access is queried.
    case checkingAccess
    /// The app store processes the purchase.
    case buying
    /// The receipt is submitted.
    case submitting
    /// The receipt was accepted, and access is pending.
    case awaitingAccess
    /// Access is granted.
    case granted
}

/// An error that indicates why a purchase was not completed.
///
/// In every case except the first, the reader may have paid, and the error contains the receipt. Continue the
/// purchase with ``InPlayerClient/finish(_:for:item:awaiting:progress:)``.
public enum PurchaseError: Error, Sendable, CustomStringConvertible {
    /// Nothing was bought.
    case notBought(any Error)
    /// The receipt was not submitted. Store it, and complete the purchase later.
    case notSubmitted(StoreReceipt, InPlayerError)
    /// The service rejected the receipt, immediately or after its submission. Store the receipt anyway, because it
    /// proves the payment.
    case rejected(StoreReceipt, PaymentFailure?, InPlayerFault?)
    /// The receipt was accepted, but access was not granted within the time limit. It may be granted later.
    case notGrantedYet(StoreReceipt)

    public var description: String {
        switch self {
        case .notBought(let error): "nothing was bought: \(error)"
        case .notSubmitted(_, let error): "the receipt could not be submitted: \(error)"
        case .rejected(_, let failure, let fault):
            "the receipt was rejected: "
                + "\(fault?.description ?? failure?.explain ?? failure?.message ?? "no reason given")"
        case .notGrantedYet: "the receipt was accepted, but there is no access yet"
        }
    }
}
