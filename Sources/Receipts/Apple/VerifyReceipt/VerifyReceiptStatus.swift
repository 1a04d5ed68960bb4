import Commerce

/// The meaning of a status of verifyReceipt.
///
/// Source: App Store protocol, “Status values of verifyReceipt”.
enum VerifyReceiptOutcome: Sendable, Equatable {
    /// The response contains the purchases.
    case reported
    /// A sandbox receipt was sent to production, so the query must go to the sandbox.
    case isSandbox
    /// The receipt is malformed, or Apple has a temporary failure. The status does not distinguish the two.
    case ambiguous
    case rejected(ReceiptRejection.Reason)
    /// Apple was unable to process the query, or rejected the caller.
    case failed
}

extension VerifyReceiptOutcome {
    /// Creates the meaning of a status.
    ///
    /// - Parameter isRetryable: The response's `is-retryable`, or nil if it is missing.
    init(status: Int, isRetryable: Bool?) {
        self =
            switch status {
            // 21006: the subscription has expired. The receipt is still genuine, and the editions that it paid for
            // remain paid. Source: App Store protocol, “Status values of verifyReceipt”.
            case 0, 21006: .reported
            case 21002: isRetryable == false ? .rejected(.malformed) : .ambiguous
            case 21003: .rejected(.forged)
            case 21007: .isSandbox
            case 21008: .rejected(.wrongEnvironment)
            case 21010: .rejected(.notFound)
            // Not a POST, a retired status, a wrong secret, unavailable, internal: none concerns the receipt.
            case 21000, 21001, 21004, 21005, 21009: .failed
            case 21100...21199: isRetryable == false ? .rejected(.rejectedByStore) : .failed
            default: isRetryable == true ? .failed : .rejected(.rejectedByStore)
            }
    }
}
