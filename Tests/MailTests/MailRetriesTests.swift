import Foundation
import Testing

@testable import Mail

@Suite("Mail retries") struct MailRetriesTests {
    private let noon = Date(timeIntervalSince1970: 1_793_534_400)

    @Test("Retries with increasing delays and gives a message up after four attempts")
    func waits() {
        let waits = (1...5).map {
            MailRetries.next(after: $0, at: noon, until: .distantFuture)?.timeIntervalSince(noon)
        }
        #expect(waits == [10, 60, 300, nil, nil])
        #expect(MailRetries.maxAttempts == 4)
    }

    @Test("Gives a message up that would expire before the next attempt")
    func expiry() {
        #expect(MailRetries.next(after: 2, at: noon, until: noon.addingTimeInterval(61)) != nil)
        #expect(MailRetries.next(after: 2, at: noon, until: noon.addingTimeInterval(60)) == nil)
    }
}
