import Gatefold

/// What a status of verifyReceipt amounts to (PROTOCOLS 6.1).
enum VerifyReceiptMeaning: Sendable, Equatable {
    /// The answer tells what was bought.
    case told
    /// It is to be sent to the other environment: a receipt of sandbox at production.
    case isSandbox
    /// Malformed, or a temporary trouble of Apple's: the status does not say which.
    case doubtful
    case refused(ReceiptRefusal.Reason)
    /// Apple could not answer, or not us.
    case failed
}

extension VerifyReceiptMeaning {
    /// - Parameter isRetryable: the answer's `is-retryable`; nil where it has none.
    init(status: Int, isRetryable: Bool?) {
        self =
            switch status {
            // 21006: the subscription is over, which makes the receipt no less true; what it paid for stays paid for
            // (PROTOCOLS 2.4).
            case 0, 21006: .told
            case 21002: isRetryable == false ? .refused(.malformed) : .doubtful
            case 21003: .refused(.forged)
            case 21007: .isSandbox
            case 21008: .refused(.wrongEnvironment)
            case 21010: .refused(.notFound)
            // No POST, a retired status, our secret is wrong, not available, internal: nothing about the receipt.
            case 21000, 21001, 21004, 21005, 21009: .failed
            case 21100...21199: isRetryable == false ? .refused(.storeRefused) : .failed
            default: isRetryable == true ? .failed : .refused(.storeRefused)
            }
    }
}
