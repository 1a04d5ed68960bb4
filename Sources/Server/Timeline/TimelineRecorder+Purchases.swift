import Commerce
import Gatefold

extension TimelineRecorder {
    /// Records a change of purchases by the owner that the ledger knows. A refund names no owner, and the ledger has it.
    func record(_ change: PurchaseChange, of publication: PublicationID) {
        switch change {
        case .verified(let owner, let transactions):
            for transaction in transactions {
                record(
                    TimelineEvent(
                        .purchaseRecorded, in: publication, detail: "\(transaction.store) \(transaction.product)"),
                    of: .owner(owner))
            }
        case .rejected(let owner, let product, let rejection):
            // An app may send any text as the product.
            let product = product.flatMap { EditionID($0)?.rawValue }
            record(
                TimelineEvent(
                    .purchaseRejected, in: publication, call: RefusedCall.purchase.rawValue,
                    reason: RefusalReason(rejection.reason).rawValue, detail: product),
                of: .owner(owner))
        case .refunded: break
        }
    }
}
