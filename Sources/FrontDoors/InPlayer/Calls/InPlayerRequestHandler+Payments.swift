import Commerce
import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerRequestHandler {
    /// Records a store's receipt. A rejected receipt is reported at once, and also by a notification.
    func receipt(_ store: String) async throws -> Response {
        let reader = try await reader()
        let owner = front.authorizationService.owner(of: reader.session.subscriber)
        guard let kind = Self.kind(store), let purchases = front.authorizationService.purchases,
            purchases.verifier(of: kind) != nil
        else { throw try await rejected(ReceiptRejection(.noStore), owner) }
        guard let receipt = try await storeReceipt(kind) else {
            throw try await rejected(ReceiptRejection(.malformed), owner)
        }
        switch try await purchases.confirm(receipt, from: kind, owner: owner) {
        // A receipt is stored if its store cannot be queried. A notification reports the outcome later.
        case .recorded, .pending: return InPlayerResponse.done("Submitted for payment")
        case .rejected(let rejection): throw Self.rejection(rejection)
        }
    }

    private static func kind(_ store: String) -> StoreKind? {
        switch store {
        case "apple": .apple
        // Android's SDK calls its store by the name of the operating system.
        case "google-play", "android": .google
        case "amazon": .amazon
        default: nil
        }
    }

    /// Reports a rejection before any store is queried. The app receives a notification, as for every other
    /// receipt.
    private func rejected(_ rejection: ReceiptRejection, _ owner: PurchaseOwner) async throws -> InPlayerRejection {
        try await front.notify(of: .rejected(to: owner, product: nil, rejection))
        return Self.rejection(rejection)
    }

    /// Returns the receipt, or `nil` if the text cannot be one.
    private func storeReceipt(_ kind: StoreKind) async throws -> StoreReceipt? {
        let text = try required("receipt")
        var parts: [StoreReceipt.Part: String] = [:]
        parts[.product] = try await product()
        switch kind {
        case .apple:
            guard let repaired = ReceiptText.repaired(text) else { return nil }
            parts[.receipt] = repaired
        case .google:
            // The text is Google's purchase as its library returns it, or the token inside it.
            if let purchase = try? JSONParser.parse(Array(text.utf8)), let token = purchase["purchaseToken"]?.text {
                parts[.token] = token
                parts[.product] = parts[.product] ?? purchase["productId"]?.text
            } else {
                parts[.token] = ReceiptText.unspaced(text)
            }
        case .amazon:
            parts[.receipt] = ReceiptText.unspaced(text)
            parts[.user] = try required("amazon_user_id")
        }
        return StoreReceipt(parts)
    }

    /// Returns the product that the app names: by name, or by the numbers of an item and a price.
    private func product() async throws -> String? {
        if let name = field("product_name") {
            guard name.utf8.count <= StoreTransaction.maxTextLength else {
                throw InPlayerRejection.field("product_name", "Unknown product.")
            }
            return name
        }
        guard let item = field("item_id") else { return nil }
        guard let number = ItemFeeProduct.number(item) else {
            throw InPlayerRejection.field("item_id", "Expected a whole number.")
        }
        guard let fee = ItemFeeProduct.number(try required("access_fee_id")) else {
            throw InPlayerRejection.field("access_fee_id", "Expected a whole number.")
        }
        return try await front.product(item: number, fee: fee)
    }

    static func rejection(_ rejection: ReceiptRejection) -> InPlayerRejection {
        let explanation = rejection.explanation
        return InPlayerRejection(
            .unprocessableContent, explanation, RefusalReason(rejection.reason), errors: ["receipt": explanation],
            explain: explanation)
    }
}

extension ReceiptRejection {
    /// The message for readers and for the developer of the app.
    var explanation: String {
        switch reason {
        case .malformed: "This is not a valid receipt."
        case .forged: "The receipt is not genuine."
        case .wrongApp: "The receipt belongs to another app."
        case .wrongEnvironment: "Purchases in this store environment are not accepted."
        case .notFound: "The store does not know this purchase."
        case .expired: "This purchase has expired."
        case .revoked: "This purchase was refunded."
        case .empty: "The receipt contains no purchase."
        case .claimedByAnother: "This purchase is already used by other accounts."
        case .wrongProduct: "The receipt is for another product."
        case .noStore: "This publication does not sell in this store."
        case .rejectedByStore: "The store rejected the receipt."
        }
    }
}
