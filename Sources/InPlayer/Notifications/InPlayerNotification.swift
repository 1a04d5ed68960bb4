public import Foundation

/// A notification of an event of an account.
///
/// Source: InPlayer notifications protocol, “Notification envelope”.
public struct InPlayerNotification: Sendable, Hashable {
    public enum Event: Sendable, Hashable {
        case accessGranted(ItemAccess)
        case accessRevoked(item: Int)
        case paymentSucceeded(PaymentFailure)
        case paymentFailed(PaymentFailure)
        case subscriptionCancelled(PaymentFailure)
        /// The session was ended remotely.
        case signedOut
        case accountErased
        case accountDeactivated
        /// An event that this library does not know or cannot read. ``InPlayerNotification/type`` names it.
        case other
    }

    /// The service's name of the type, such as `access.granted`.
    public let type: String
    public let timestamp: Date?
    public let event: Event
}

/// The result of a payment.
public struct PaymentFailure: Sendable, Hashable {
    public let code: Int?
    public let message: String?
    public let explain: String?
    public let itemID: Int?
    public let accessFeeID: Int?
    public let transaction: String?
    public let description: String?
    public let amount: Decimal?
    public let formattedAmount: String?
    public let currency: String?
    public let nextPayment: Date?
}

extension InPlayerNotification: ResponseModel {
    /// Parses a message. Returns nil if the bytes are not a notification.
    ///
    /// - Parameter bytes: The payload of the message.
    init?(parsing bytes: [UInt8]) {
        guard let response = try? ResponseValue(parsing: bytes), let notification = try? Self(response) else {
            return nil
        }
        self = notification
    }

    init(_ response: ResponseValue) throws(UnreadableResponse) {
        type = try response.required("type", \.text)
        timestamp = response["timestamp"]?.timestamp
        event = Self.event(type, response["resource"] ?? .object([:]))
    }

    private static func event(_ type: String, _ resource: ResponseValue) -> Event {
        switch type {
        case "access.granted":
            guard let access = try? ItemAccess(resource) else { return .other }
            return .accessGranted(access)
        case "access.revoked":
            guard let item = resource["item_id"]?.integer else { return .other }
            return .accessRevoked(item: item)
        case "external.payment.success", "payment.card.success", "subscribe.success":
            return .paymentSucceeded(PaymentFailure(resource))
        case "external.payment.failed", "payment.card.failed", "subscribe.failed":
            return .paymentFailed(PaymentFailure(resource))
        case "external.subscribe.cancel.success":
            return .subscriptionCancelled(PaymentFailure(resource))
        case "account.logout": return .signedOut
        case "account.erased": return .accountErased
        case "account.deactivated": return .accountDeactivated
        default: return .other
        }
    }
}

extension PaymentFailure {
    init(_ response: ResponseValue) {
        let fault = InPlayerFault(status: 0, response: response)
        code = response["code"]?.integer
        message = response["message"]?.text
        explain = fault.explain
        itemID = response["item_id"]?.integer
        accessFeeID = response["access_fee_id"]?.integer
        transaction = response["transaction"]?.text
        description = response["description"]?.text
        amount = response["amount"]?.amount
        formattedAmount = response["formatted_amount"]?.text
        currency = response["currency_iso"]?.text
        nextPayment = response["next_rebill_date"]?.timestamp
    }
}
