public import Foundation

/// Something that happened to an account, told at once (PROTOCOLS 5.5).
public struct InPlayerNotification: Sendable, Hashable {
    public enum Event: Sendable, Hashable {
        case accessGranted(ItemAccess)
        case accessRevoked(item: Int)
        case paymentSucceeded(PaymentNews)
        case paymentFailed(PaymentNews)
        case subscriptionCancelled(PaymentNews)
        /// The session was ended from elsewhere.
        case signedOut
        case accountErased
        case accountDeactivated
        /// One that this library does not know, or can not read; ``InPlayerNotification/type`` names it.
        case other
    }

    /// As the service calls it, such as `access.granted`.
    public let type: String
    public let moment: Date?
    public let event: Event
}

/// What became of a payment.
public struct PaymentNews: Sendable, Hashable {
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

extension InPlayerNotification: AnswerModel {
    /// - Parameter bytes: of a message.
    /// - Returns: nil for what is no notification.
    init?(parsing bytes: [UInt8]) {
        guard let answer = try? Answer(parsing: bytes), let notification = try? Self(answer) else { return nil }
        self = notification
    }

    init(_ answer: Answer) throws(UnreadableAnswer) {
        type = try answer.required("type", \.text)
        moment = answer["timestamp"]?.moment
        event = Self.event(type, answer["resource"] ?? .object([:]))
    }

    private static func event(_ type: String, _ resource: Answer) -> Event {
        switch type {
        case "access.granted":
            guard let access = try? ItemAccess(resource) else { return .other }
            return .accessGranted(access)
        case "access.revoked":
            guard let item = resource["item_id"]?.integer else { return .other }
            return .accessRevoked(item: item)
        case "external.payment.success", "payment.card.success", "subscribe.success":
            return .paymentSucceeded(PaymentNews(resource))
        case "external.payment.failed", "payment.card.failed", "subscribe.failed":
            return .paymentFailed(PaymentNews(resource))
        case "external.subscribe.cancel.success":
            return .subscriptionCancelled(PaymentNews(resource))
        case "account.logout": return .signedOut
        case "account.erased": return .accountErased
        case "account.deactivated": return .accountDeactivated
        default: return .other
        }
    }
}

extension PaymentNews {
    init(_ answer: Answer) {
        let fault = InPlayerFault(status: 0, answer: answer)
        code = answer["code"]?.integer
        message = answer["message"]?.text
        explain = fault.explain
        itemID = answer["item_id"]?.integer
        accessFeeID = answer["access_fee_id"]?.integer
        transaction = answer["transaction"]?.text
        description = answer["description"]?.text
        amount = answer["amount"]?.amount
        formattedAmount = answer["formatted_amount"]?.text
        currency = answer["currency_iso"]?.text
        nextPayment = answer["next_rebill_date"]?.moment
    }
}
