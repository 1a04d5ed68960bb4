/// How far a purchase has come.
public enum PurchaseProgress: Sendable, Hashable {
    /// Whether there is access already is being asked.
    case checkingAccess
    /// The app store is at work.
    case buying
    /// The receipt is being handed in.
    case submitting
    /// The receipt was taken in, and access is waited for.
    case awaitingAccess
    /// There is access.
    case granted
}

/// Why a purchase did not come to its end.
///
/// In all cases but the first the reader may have paid, and the error has the receipt:
/// ``InPlayerClient/finish(_:for:item:awaiting:progress:)`` goes on with it.
public enum PurchaseError: Error, Sendable, CustomStringConvertible {
    /// Nothing was bought.
    case notBought(any Error)
    /// The receipt could not be handed in. Keep it, and finish the purchase later.
    case notSubmitted(StoreReceipt, InPlayerError)
    /// The service refused the receipt, at once or after it had taken it in. Keep it nevertheless: it proves the payment.
    case refused(StoreReceipt, PaymentNews?, InPlayerFault?)
    /// The receipt was taken in, and access has not come in the time given; it may come later.
    case notGrantedYet(StoreReceipt)

    public var description: String {
        switch self {
        case .notBought(let error): "nothing was bought: \(error)"
        case .notSubmitted(_, let error): "the receipt could not be handed in: \(error)"
        case .refused(_, let news, let fault):
            "the receipt was refused: \(fault?.description ?? news?.explain ?? news?.message ?? "no reason given")"
        case .notGrantedYet: "the receipt was taken in, but there is no access yet"
        }
    }
}
