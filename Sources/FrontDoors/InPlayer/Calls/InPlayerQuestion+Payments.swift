import Gatefold
import HTTPTypes
import Hummingbird
import JSON

extension InPlayerQuestion {
    /// Takes in a store's receipt. A receipt that proves nothing is said so at once, and by a notice, too.
    func receipt(_ store: String) async throws -> Response {
        let reader = try await reader()
        let owner = front.proxy.owner(of: reader.session.subscriber)
        guard let kind = Self.kind(store), let purchases = front.proxy.purchases, purchases.verifier(of: kind) != nil
        else { throw try await refused(ReceiptRefusal(.noStore), owner) }
        guard let receipt = try await storeReceipt(kind) else {
            throw try await refused(ReceiptRefusal(.malformed), owner)
        }
        switch try await purchases.confirm(receipt, from: kind, owner: owner) {
        // Kept while its store can not be asked: what becomes of it is told by a notice.
        case .recorded, .kept: return InPlayerAnswer.done("Submitted for payment")
        case .refused(let refusal): throw Self.refusal(refusal)
        }
    }

    private static func kind(_ store: String) -> StoreKind? {
        switch store {
        case "apple": .apple
        // Android's SDK calls its store by the system's name.
        case "google-play", "android": .google
        case "amazon": .amazon
        default: nil
        }
    }

    /// What is refused before any store is asked: the app hears of it as it does of every other receipt.
    private func refused(_ refusal: ReceiptRefusal, _ owner: PurchaseOwner) async throws -> InPlayerRefusal {
        try await front.tell(of: .refused(to: owner, product: nil, refusal))
        return Self.refusal(refusal)
    }

    /// Nil for what can be no receipt.
    private func storeReceipt(_ kind: StoreKind) async throws -> StoreReceipt? {
        let text = try required("receipt")
        var parts: [StoreReceipt.Part: String] = [:]
        parts[.product] = try await product()
        switch kind {
        case .apple:
            guard let repaired = ReceiptText.repaired(text) else { return nil }
            parts[.receipt] = repaired
        case .google:
            // Google's purchase as its library has it, or the token that stands in it.
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

    /// What the app says was bought: by name, or by an item's and a price's numbers.
    private func product() async throws -> String? {
        if let name = field("product_name") {
            guard name.utf8.count <= StoreTransaction.longestText else {
                throw InPlayerRefusal.field("product_name", "There is no such product.")
            }
            return name
        }
        guard let item = field("item_id") else { return nil }
        guard let number = NumberedProduct.number(item) else {
            throw InPlayerRefusal.field("item_id", "Expected a whole number.")
        }
        guard let fee = NumberedProduct.number(try required("access_fee_id")) else {
            throw InPlayerRefusal.field("access_fee_id", "Expected a whole number.")
        }
        return try await front.product(item: number, fee: fee)
    }

    static func refusal(_ refusal: ReceiptRefusal) -> InPlayerRefusal {
        let words = refusal.words
        return InPlayerRefusal(.unprocessableContent, words, errors: ["receipt": words], explain: words)
    }
}

extension ReceiptRefusal {
    /// For people, and for whoever develops the app.
    var words: String {
        switch reason {
        case .malformed: "This is no receipt."
        case .forged: "The store does not vouch for this receipt."
        case .wrongApp: "The receipt is another app's."
        case .wrongEnvironment: "Purchases of this kind of account do not count here."
        case .notFound: "The store does not know this purchase."
        case .expired: "This purchase is over."
        case .revoked: "This purchase was taken back."
        case .empty: "Nothing was bought."
        case .claimedByAnother: "Others have this purchase already."
        case .wrongProduct: "The receipt is for something else."
        case .noStore: "Nothing is sold in this store."
        case .storeRefused: "The store refused the receipt."
        }
    }
}
