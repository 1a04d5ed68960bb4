import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Mail

@Suite("Mail queue")
struct MailQueueTests {
    private func message(_ to: String = "ada@example.com") throws -> MailMessage {
        try MailMessage(
            EmailMessage(to: to, subject: "s", text: "t"), from: try #require(MailSender("news@daily.example")),
            at: Date(timeIntervalSince1970: 0), random: .seeded(1))
    }

    private func take(_ queue: inout MailQueue, at time: TimeInterval) throws -> MailQueue.Entry {
        guard case .send(let entry) = queue.next(at: time) else {
            throw Unexpected()
        }
        return entry
    }

    private struct Unexpected: Error {}

    @Test("Returns messages in the order of arrival")
    func order() throws {
        var queue = MailQueue(capacity: 10)
        for name in ["a", "b", "c"] { try queue.add(message("\(name)@example.com"), at: 0) }
        for name in ["a", "b", "c"] {
            #expect(try take(&queue, at: 0).message.recipient.text == "\(name)@example.com")
        }
        guard case .wait(until: nil) = queue.next(at: 0) else { throw Unexpected() }
        #expect(queue.count == 3)
    }

    @Test("Limits the messages, those in progress included")
    func full() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        let entry = try take(&queue, at: 0)
        try queue.add(message(), at: 0)
        #expect(throws: MailRejected.full) { try queue.add(try message(), at: 0) }
        #expect(queue.finish(entry, .sent, at: 0) == .done)
        try queue.add(message(), at: 0)
    }

    @Test("Retries with increasing delays and drops a message after four attempts")
    func retries() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        var time: TimeInterval = 0
        for pause in [10.0, 60, 300] {
            let entry = try take(&queue, at: time)
            #expect(queue.finish(entry, .failed, at: time) == .retry)
            guard case .wait(until: time + pause) = queue.next(at: time + pause - 1) else { throw Unexpected() }
            time += pause
        }
        let entry = try take(&queue, at: time)
        #expect(queue.finish(entry, .failed, at: time) == .abandoned)
        #expect(queue.count == 0)
    }

    @Test("Drops a permanently rejected message at once")
    func rejected() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        let entry = try take(&queue, at: 0)
        #expect(queue.finish(entry, .rejected, at: 0) == .abandoned)
        #expect(queue.count == 0)
    }

    @Test("After close, tries each message once more and then ends")
    func closing() throws {
        var queue = MailQueue(capacity: 3)
        for _ in 0..<2 { try queue.add(message(), at: 0) }
        let first = try take(&queue, at: 0)
        #expect(queue.finish(first, .failed, at: 0) == .retry)
        queue.close()
        #expect(throws: MailRejected.stopped) { try queue.add(try message(), at: 0) }
        for _ in 0..<2 {
            let entry = try take(&queue, at: 0)
            #expect(queue.finish(entry, .failed, at: 0) == .abandoned)
        }
        guard case .end = queue.next(at: 0) else { throw Unexpected() }
    }

    @Test("Is empty after it is abandoned")
    func abandoned() throws {
        var queue = MailQueue(capacity: 3)
        for _ in 0..<2 { try queue.add(message(), at: 0) }
        #expect(queue.abandon() == 2)
        guard case .end = queue.next(at: 0) else { throw Unexpected() }
    }
}
