import Foundation
import Gatefold
import Testing

@testable import Receipts

@Suite("A status of verifyReceipt")
struct VerifyReceiptStatusTests {
    private static let meanings: [(Int, VerifyReceiptMeaning)] = [
        (0, .told), (21000, .failed), (21001, .failed), (21002, .doubtful), (21003, .refused(.forged)),
        (21004, .failed),
        (21005, .failed), (21006, .told), (21007, .isSandbox), (21008, .refused(.wrongEnvironment)), (21009, .failed),
        (21010, .refused(.notFound)), (21100, .failed), (21150, .failed), (21199, .failed),
        (21200, .refused(.storeRefused)), (-1, .refused(.storeRefused)), (21011, .refused(.storeRefused)),
    ]

    @Test("means what Apple says it means", arguments: meanings)
    func meaning(_ status: Int, _ expected: VerifyReceiptMeaning) {
        #expect(VerifyReceiptMeaning(status: status, isRetryable: nil) == expected)
    }

    @Test("is a trouble that passes where Apple says that it may be asked again")
    func retryable() {
        #expect(VerifyReceiptMeaning(status: 21100, isRetryable: true) == .failed)
        #expect(VerifyReceiptMeaning(status: 21100, isRetryable: false) == .refused(.storeRefused))
        #expect(VerifyReceiptMeaning(status: 21300, isRetryable: true) == .failed)
        #expect(VerifyReceiptMeaning(status: 21002, isRetryable: false) == .refused(.malformed))
        #expect(VerifyReceiptMeaning(status: 21003, isRetryable: true) == .refused(.forged))
    }

    @Test("of one receipt opens no circuit breaker")
    func breaker() {
        for status in [21002, 21004, 21100, 21007] { #expect(VerifyReceiptFailure.status(status).isOfOneAnswer) }
        for status in [21000, 21005, 21009] { #expect(!VerifyReceiptFailure.status(status).isOfOneAnswer) }
        #expect(VerifyReceiptFailure.unreadable.isOfOneAnswer && !VerifyReceiptFailure.httpStatus(503).isOfOneAnswer)
    }
}
