import Commerce
import Foundation
import Testing

@testable import Receipts

@Suite("verifyReceipt status")
struct VerifyReceiptStatusTests {
    private static let meanings: [(Int, VerifyReceiptOutcome)] = [
        (0, .reported), (21000, .failed), (21001, .failed), (21002, .ambiguous), (21003, .rejected(.forged)),
        (21004, .failed),
        (21005, .failed), (21006, .reported), (21007, .isSandbox), (21008, .rejected(.wrongEnvironment)),
        (21009, .failed),
        (21010, .rejected(.notFound)), (21100, .failed), (21150, .failed), (21199, .failed),
        (21200, .rejected(.rejectedByStore)), (-1, .rejected(.rejectedByStore)), (21011, .rejected(.rejectedByStore)),
    ]

    @Test("Maps each status to Apple's documented meaning", arguments: meanings)
    func meaning(_ status: Int, _ expected: VerifyReceiptOutcome) {
        #expect(VerifyReceiptOutcome(status: status, isRetryable: nil) == expected)
    }

    @Test("Reads a retryable status as a temporary failure")
    func retryable() {
        #expect(VerifyReceiptOutcome(status: 21100, isRetryable: true) == .failed)
        #expect(VerifyReceiptOutcome(status: 21100, isRetryable: false) == .rejected(.rejectedByStore))
        #expect(VerifyReceiptOutcome(status: 21300, isRetryable: true) == .failed)
        #expect(VerifyReceiptOutcome(status: 21002, isRetryable: false) == .rejected(.malformed))
        #expect(VerifyReceiptOutcome(status: 21003, isRetryable: true) == .rejected(.forged))
    }

    @Test("A status that concerns one receipt does not open the circuit breaker")
    func breaker() {
        for status in [21002, 21004, 21100, 21007] { #expect(VerifyReceiptFailure.status(status).isRequestScoped) }
        for status in [21000, 21005, 21009] { #expect(!VerifyReceiptFailure.status(status).isRequestScoped) }
        #expect(
            VerifyReceiptFailure.unreadable.isRequestScoped && !VerifyReceiptFailure.httpStatus(503).isRequestScoped)
    }
}
