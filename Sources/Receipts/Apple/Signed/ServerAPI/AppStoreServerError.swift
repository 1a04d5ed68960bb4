package import Commerce
import JSON
import Primitives

/// An error response of the App Store Server API: `{"errorCode": …, "errorMessage": …}`.
struct AppStoreServerError: Sendable, Equatable {
    let status: Int
    /// Apple's own number, whose first three digits are the status, or nil if the response is not from Apple.
    let code: Int?

    init(status: Int, body: [UInt8]) {
        self.status = status
        code = (try? JSONParser.parse(body))?["errorCode"]?.integer
    }

    enum ErrorCategory: Equatable {
        /// Apple has no such transaction, purchase, customer or app in this environment. The other environment may
        /// have it.
        case notFound
        /// A retry may help.
        case retryable
        /// Apple rejects the query itself.
        case rejected
        /// Apple rejects the caller, or the response is not from Apple.
        case callFailed
    }

    /// AccountNotFound, AppNotFound and OriginalTransactionIdNotFound have a retryable variant each.
    private static let retryable: Set<Int> = [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_001]
    private static let notFound: Set<Int> = [4_040_001, 4_040_003, 4_040_005, 4_040_010]

    var meaning: ErrorCategory {
        if let code, Self.retryable.contains(code) { return .retryable }
        if let code, Self.notFound.contains(code) { return .notFound }
        return switch status {
        case 429, 500...599: .retryable
        case 400 where code != nil: .rejected
        default: .callFailed
        }
    }
}

/// An error that indicates why a call to the API failed. It holds no identifier and no token.
package enum AppStoreServerFailure: RequestScopedFailure, Equatable {
    /// - Parameter code: Apple's own number.
    case status(Int, code: Int?)
    case notJSON
    /// A response lacks a required field.
    case incomplete
    /// The content of a response is not signed by Apple, or belongs to another app or environment.
    case unverified(ReceiptRejection.Reason)
    case key

    package var cause: String {
        switch self {
        case .status(let status, let code):
            "the App Store Server API responded with \(status)" + (code.map { " with error \($0)" } ?? "")
        case .notJSON: "the App Store Server API's response is not JSON"
        case .incomplete: "the App Store Server API's response lacks a required field"
        case .unverified(let reason): "the App Store Server API's response was not accepted (\(reason.rawValue))"
        case .key: "the key of the App Store Server API cannot sign"
        }
    }

    package var isRequestScoped: Bool {
        switch self {
        case .status, .key: false
        case .notJSON, .incomplete, .unverified: true
        }
    }
}
