import Foundation
import Gatefold
import Protections

/// A purchase that Google is asked about.
struct GoogleQuestion: Sendable {
    let token: String
    /// The product that the app says was bought; a single purchase can not be asked for without it.
    let product: String?
    /// The number of the order, as far as it is known.
    var order: String?
    /// Whether it is no answer when Google sold another product by this token: nobody signed what the app says.
    let mustBeProduct: Bool
}

/// What Google says about a purchase.
enum GoogleAnswer: Sendable, Equatable {
    /// - Parameter transactions: at least one.
    case found([StoreTransaction])
    case refused(ReceiptRefusal)
}

/// Why Google could not be asked.
enum GoogleFailure: AnswerFailure, Equatable {
    case noToken(status: Int)
    /// The service account may not ask about this app: somebody has to set something up.
    case notAllowed(status: Int)
    case status(Int)
    case notUnderstood
    /// A purchase could be asked about, and not be acknowledged: a right is missing, or somebody else is at it.
    case notAcknowledged(status: Int)

    var isOfOneAnswer: Bool {
        switch self {
        case .notUnderstood, .notAcknowledged: true
        case .noToken, .notAllowed, .status: false
        }
    }

    var cause: String {
        switch self {
        case .noToken(let status): "Google gave the service account no access token (status \(status))"
        case .notAllowed(let status):
            "the service account may not ask Google about this app (status \(status)); it needs the Android Publisher API "
                + "and, in the Play Console, the right to view orders"
        case .status(let status): "Google answered with status \(status)"
        case .notUnderstood: "Google's answer was not understood"
        case .notAcknowledged(let status):
            "Google did not take the acknowledgement of a purchase (status \(status)); it needs, in the Play Console, the right "
                + "to manage orders and subscriptions"
        }
    }
}
