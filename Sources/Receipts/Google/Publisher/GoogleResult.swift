import Commerce
import Foundation
import Primitives

/// A purchase to query at Google.
struct GoogleQuery: Sendable {
    let token: String
    /// The product that the app claims was bought. A single purchase cannot be queried without it.
    let product: String?
    /// The order number, if known.
    var order: String?
    /// A Boolean value that indicates whether the purchase is rejected if the token belongs to another product. The
    /// app's claim is not signed.
    let mustBeProduct: Bool
}

/// Google's result about a purchase.
enum GoogleResult: Sendable, Equatable {
    /// - Parameter transactions: At least one transaction.
    case found([StoreTransaction])
    case rejected(ReceiptRejection)
}

/// An error that indicates why a call to Google failed.
enum GoogleFailure: RequestScopedFailure, Equatable {
    case noToken(status: Int)
    /// The receipt on record does not contain the token of the purchase.
    case noPurchaseToken
    /// The service account has no permission for this app. The configuration at Google must be changed.
    case notAllowed(status: Int)
    case status(Int)
    case unrecognizedResponse
    /// Google returned the purchase but rejected the acknowledgement: a permission is missing, or another party is
    /// acknowledging it.
    case notAcknowledged(status: Int)

    var isRequestScoped: Bool {
        switch self {
        case .unrecognizedResponse, .notAcknowledged, .noPurchaseToken: true
        case .noToken, .notAllowed, .status: false
        }
    }

    var cause: String {
        switch self {
        case .noToken(let status): "Google issued no access token to the service account (status \(status))"
        case .noPurchaseToken: "the receipt on record does not hold the token of the purchase"
        case .notAllowed(let status):
            "the service account may not query Google about this app (status \(status)); it needs the Android "
                + "Publisher API and, in the Play Console, the right to view orders"
        case .status(let status): "Google responded with status \(status)"
        case .unrecognizedResponse: "Google's response could not be parsed"
        case .notAcknowledged(let status):
            "Google did not accept the acknowledgement of a purchase (status \(status)); it needs, in the Play "
                + "Console, the right to manage orders and subscriptions"
        }
    }
}
