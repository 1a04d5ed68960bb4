import Gatefold
import Protections

/// Why verifyReceipt said nothing about a receipt.
enum VerifyReceiptFailure: AnswerFailure, Equatable {
    case httpStatus(Int)
    /// No JSON object with a status.
    case unreadable
    /// Apple's own status for a failure.
    case status(Int)

    var cause: String {
        switch self {
        case .httpStatus(let status): "verifyReceipt answered with HTTP status \(status)"
        case .unreadable: "verifyReceipt's answer is not what Apple documents"
        case .status(21004): "verifyReceipt answered with status 21004: the shared secret is not the app's"
        case .status(let status): "verifyReceipt answered with status \(status)"
        }
    }

    /// Whoever sends a receipt must not be able to make an outage of it.
    var isOfOneAnswer: Bool {
        switch self {
        case .httpStatus: false
        case .unreadable: true
        case .status(let status): ![21000, 21001, 21005, 21009].contains(status)
        }
    }
}
