package import Gatefold

extension RefusalReason {
    /// Creates the reason of a call that was refused because its receipt proves nothing.
    package init(_ reason: ReceiptRejection.Reason) {
        self =
            switch reason {
            case .malformed: .receiptMalformed
            case .forged: .receiptForged
            case .wrongApp: .receiptOfOtherApp
            case .wrongEnvironment: .receiptOfOtherEnvironment
            case .notFound: .receiptUnknown
            case .expired: .receiptExpired
            case .revoked: .receiptRevoked
            case .empty: .receiptEmpty
            case .claimedByAnother: .receiptClaimed
            case .wrongProduct: .receiptOfOtherProduct
            case .noStore: .receiptWithoutStore
            case .rejectedByStore: .receiptRejectedByStore
            }
    }
}
