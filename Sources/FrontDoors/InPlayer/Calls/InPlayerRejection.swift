import HTTPTypes

/// The error response of a call, with the parts that SDKs read.
///
/// Source: InPlayer protocol, “Error document”.
struct InPlayerRejection: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    /// The error message of each field.
    var errors: [String: String] = [:]
    var explain: String?
    /// The delay before a retry, in seconds.
    var retryAfter: Int?
    var allow: String?

    init(
        _ status: HTTPResponse.Status, _ message: String, errors: [String: String] = [:], explain: String? = nil,
        retryAfter: Int? = nil
    ) {
        self.status = status
        self.message = message
        self.errors = errors
        self.explain = explain
        self.retryAfter = retryAfter
    }

    /// Returns a rejection of one form field.
    static func field(_ name: String, _ message: String) -> InPlayerRejection {
        InPlayerRejection(.unprocessableContent, message, errors: [name: message])
    }

    /// A rejection for tokens only, because apps sign the reader out when they receive it.
    ///
    /// Source: InPlayer protocol, “Statuses 401 and 403”.
    static let notSignedIn = InPlayerRejection(.unauthorized, "Please sign in.", errors: ["token": "Please sign in."])
    static let unknownMerchant = InPlayerRejection(
        .notFound, "Unknown merchant.", errors: ["merchant_uuid": "Unknown merchant."])
    static let unknownCall = InPlayerRejection(.notFound, "Unknown call.")
    static let noItem = InPlayerRejection(.notFound, "Unknown item.", errors: ["id": "Unknown item."])
    static let notOffered = InPlayerRejection(.notFound, "This feature is not available.")

    static func throttled(_ wait: Int, _ message: String?) -> InPlayerRejection {
        InPlayerRejection(.tooManyRequests, message ?? "Too many attempts. Please try again later.", retryAfter: wait)
    }

    static func unavailable(_ wait: Int) -> InPlayerRejection {
        InPlayerRejection(.serviceUnavailable, "Temporarily unavailable. Please try again later.", retryAfter: wait)
    }
}
