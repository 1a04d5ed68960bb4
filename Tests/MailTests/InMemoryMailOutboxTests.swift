import Foundation
import Gatefold
import Testing

@testable import Mail

/// What only the queue in memory has. `MailOutboxConformance` has the rest.
@Suite("Mail queue in memory") struct InMemoryMailOutboxTests {
    private let noon = Date(timeIntervalSince1970: 1_793_534_400)

    private func outbox(_ count: UInt8) -> InMemoryMailOutbox {
        let outbox = InMemoryMailOutbox()
        for number in 0..<count {
            let mail = QueuedMail(id: [number], content: [], owner: nil, expiresAt: .distantFuture)
            #expect(outbox.enqueue(mail, limit: 9, at: noon))
        }
        return outbox
    }

    @Test("Once it is closed, each message is due for its last attempt, and none is accepted")
    func closed() {
        let outbox = outbox(2)
        let first = outbox.claimMail(1, lease: [1], at: noon, until: noon + 90)
        #expect(first.map(\.attempts) == [1])
        outbox.postponeMail([0], lease: [1], at: noon, until: noon + 10)
        outbox.close()
        #expect(!outbox.enqueue(QueuedMail(id: [9], content: [], owner: nil, expiresAt: noon), limit: 9, at: noon))
        let last = outbox.claimMail(9, lease: [2], at: noon, until: noon + 90)
        #expect(last.map(\.id) == [[1], [0]] && last.allSatisfy { $0.attempts == MailRetries.maxAttempts })
        #expect(outbox.claimMail(9, lease: [3], at: noon, until: noon + 90).isEmpty)
    }

    @Test("Drops all messages but those of attempts in progress")
    func abandoned() {
        let outbox = outbox(3)
        _ = outbox.claimMail(1, lease: [1], at: noon, until: noon + 90)
        #expect(outbox.abandon() == 2)
        #expect(outbox.waitingMail() == 1)
    }
}
