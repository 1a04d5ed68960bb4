import Gatefold
import HTTPTypes

/// The error response of a call, with the parts that SDKs read.
///
/// Source: InPlayer protocol, “Error document”.
struct InPlayerRejection: Error, Equatable {
    let status: HTTPResponse.Status
    /// The reason, for logs and metrics.
    let reason: RefusalReason
    let message: String
    /// The error message of each field.
    var errors: [String: String] = [:]
    var explain: String?
    /// The delay before a retry, in seconds.
    var retryAfter: Int?
    var allow: String?

    init(
        _ status: HTTPResponse.Status, _ message: String, _ reason: RefusalReason, errors: [String: String] = [:],
        explain: String? = nil, retryAfter: Int? = nil
    ) {
        self.status = status
        self.reason = reason
        self.message = message
        self.errors = errors
        self.explain = explain
        self.retryAfter = retryAfter
    }

    /// Returns a rejection of one form field.
    static func field(
        _ name: String, _ message: String, _ reason: RefusalReason = .malformedRequest
    ) -> InPlayerRejection {
        InPlayerRejection(.unprocessableContent, message, reason, errors: [name: message])
    }

    /// A rejection for tokens only, because apps sign the reader out when they receive it.
    ///
    /// Source: InPlayer protocol, “Statuses 401 and 403”.
    static let notSignedIn = notSignedIn(.tokenUnreadable)

    static func notSignedIn(_ reason: RefusalReason) -> InPlayerRejection {
        InPlayerRejection(.unauthorized, "Please sign in.", reason, errors: ["token": "Please sign in."])
    }

    static let unknownMerchant = InPlayerRejection(
        .notFound, "Unknown merchant.", .unknownPublication, errors: ["merchant_uuid": "Unknown merchant."])
    static let unknownCall = InPlayerRejection(.notFound, "Unknown call.", .malformedRequest)
    static let noItem = InPlayerRejection(
        .notFound, "Unknown item.", .unknownEdition, errors: ["id": "Unknown item."])
    static let notOffered = InPlayerRejection(.notFound, "This feature is not available.", .notOffered)

    static func throttled(
        _ wait: Int, _ message: String?, _ reason: RefusalReason = .throttled
    ) -> InPlayerRejection {
        InPlayerRejection(
            .tooManyRequests, message ?? "Too many attempts. Please try again later.", reason, retryAfter: wait)
    }

    static func unavailable(_ wait: Int, _ reason: RefusalReason) -> InPlayerRejection {
        InPlayerRejection(
            .serviceUnavailable, "Temporarily unavailable. Please try again later.", reason, retryAfter: wait)
    }
}
