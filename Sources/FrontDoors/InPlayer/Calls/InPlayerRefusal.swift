import Gatefold
import HTTPTypes

/// Why a call is answered with an error: what SDKs read of one (PROTOCOLS 5.3).
struct InPlayerRefusal: Error, Equatable {
    let status: HTTPResponse.Status
    let message: String
    /// What is wrong with each field.
    var errors: [String: String] = [:]
    var explain: String?
    /// In seconds.
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

    /// Something in one field of the form.
    static func field(_ name: String, _ message: String) -> InPlayerRefusal {
        InPlayerRefusal(.unprocessableContent, message, errors: [name: message])
    }

    /// For tokens alone: apps forget who is signed in when they read it (PROTOCOLS 5.3).
    static let notSignedIn = InPlayerRefusal(.unauthorized, "Please sign in.", errors: ["token": "Please sign in."])
    static let unknownMerchant = InPlayerRefusal(
        .notFound, "There is no such merchant.", errors: ["merchant_uuid": "There is no such merchant."])
    static let unknownCall = InPlayerRefusal(.notFound, "There is no such call.")
    static let noItem = InPlayerRefusal(.notFound, "There is no such item.", errors: ["id": "There is no such item."])
    static let notOffered = InPlayerRefusal(.notFound, "This is not offered here.")

    static func throttled(_ wait: Int, _ message: String?) -> InPlayerRefusal {
        InPlayerRefusal(.tooManyRequests, message ?? "Too many attempts. Please try again later.", retryAfter: wait)
    }

    static func unavailable(_ wait: Int) -> InPlayerRefusal {
        InPlayerRefusal(.serviceUnavailable, "Temporarily unavailable. Please try again later.", retryAfter: wait)
    }
}
