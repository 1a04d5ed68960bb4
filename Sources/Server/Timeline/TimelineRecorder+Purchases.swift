import Commerce
import Gatefold

extension TimelineRecorder {
    /// Records a change of purchases by the owner that the ledger knows. A refund names no owner, and the ledger has it.
    func record(_ change: PurchaseChange, of publication: PublicationID) {
        switch change {
        case .verified(let owner, let transactions):
            for product in Set(transactions.map { "\($0.store) \($0.product)" }).sorted() {
                record(TimelineEvent(.purchaseRecorded, in: publication, detail: product), of: .owner(owner))
            }
        case .rejected(let owner, _, let rejection):
            // Anyone can send a text that is no receipt. An app may send any text as the product.
            guard rejection.reason != .malformed else { return }
            recordUnverified(
                TimelineEvent(
                    .purchaseRejected, in: publication, call: RefusedCall.purchase.rawValue,
                    reason: RefusalReason(rejection.reason).rawValue),
                of: .owner(owner), client: nil)
        case .refunded: break
        }
    }
}
