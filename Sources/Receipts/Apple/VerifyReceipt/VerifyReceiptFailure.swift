import Primitives

/// An error that indicates why verifyReceipt returned no verdict on a receipt.
enum VerifyReceiptFailure: RequestScopedFailure, Equatable {
    case httpStatus(Int)
    /// The response is not a JSON object with a status.
    case unreadable
    /// Apple's own status of a failure.
    case status(Int)

    var cause: String {
        switch self {
        case .httpStatus(let status): "verifyReceipt responded with HTTP status \(status)"
        case .unreadable: "verifyReceipt's response is not what Apple documents"
        case .status(21004): "verifyReceipt responded with status 21004: the shared secret is not the app's"
        case .status(let status): "verifyReceipt responded with status \(status)"
        }
    }

    /// A Boolean value that indicates whether the failure concerns only this response. The sender of a receipt must
    /// not be able to cause an outage.
    var isRequestScoped: Bool {
        switch self {
        case .httpStatus: false
        case .unreadable: true
        case .status(let status): ![21000, 21001, 21005, 21009].contains(status)
        }
    }
}
