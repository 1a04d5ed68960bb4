package import Gatefold
import JSON
import Protections

/// An answer of the App Store Server API that is none to the question: `{"errorCode": …, "errorMessage": …}`.
struct AppStoreServerError: Sendable, Equatable {
    let status: Int
    /// Apple's own number, the status its first three digits; nil where the answer is not Apple's.
    let code: Int?

    init(status: Int, body: [UInt8]) {
        self.status = status
        code = (try? JSONParser.parse(body))?["errorCode"]?.integer
    }

    enum Meaning: Equatable {
        /// Apple has no such transaction, purchase, customer or app here; it may have in the other environment.
        case notFound
        /// Asking again may help.
        case passing
        /// Apple refuses the question itself.
        case refused
        /// Apple refuses whoever asks, or what answered is not Apple.
        case failing
    }

    /// AccountNotFound, AppNotFound and OriginalTransactionIdNotFound have a twin each that says "try again".
    private static let passing: Set<Int> = [4_040_002, 4_040_004, 4_040_006, 4_290_000, 5_000_001]
    private static let notFound: Set<Int> = [4_040_001, 4_040_003, 4_040_005, 4_040_010]

    var meaning: Meaning {
        if let code, Self.passing.contains(code) { return .passing }
        if let code, Self.notFound.contains(code) { return .notFound }
        return switch status {
        case 429, 500...599: .passing
        case 400 where code != nil: .refused
        default: .failing
        }
    }
}

/// Why Apple "could not be asked" over its API. Holds no identifier and no token.
package enum AppStoreServerFailure: AnswerFailure, Equatable {
    /// - Parameter code: Apple's own number.
    case status(Int, code: Int?)
    case notJSON
    /// An answer lacks what it must have.
    case incomplete
    /// What an answer holds was not signed by Apple, or is of another app or environment.
    case unverified(ReceiptRefusal.Reason)
    case key

    package var cause: String {
        switch self {
        case .status(let status, let code):
            "the App Store Server API answered \(status)" + (code.map { " with error \($0)" } ?? "")
        case .notJSON: "the App Store Server API's answer is not JSON"
        case .incomplete: "the App Store Server API's answer lacks what it must have"
        case .unverified(let reason): "the App Store Server API's answer was not accepted (\(reason.rawValue))"
        case .key: "the key of the App Store Server API does not sign"
        }
    }

    package var isOfOneAnswer: Bool {
        switch self {
        case .status, .key: false
        case .notJSON, .incomplete, .unverified: true
        }
    }
}
