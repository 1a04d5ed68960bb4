import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Mail

@Suite("The letters that wait")
struct MailQueueTests {
    private func message(_ to: String = "ada@example.com") throws -> MailMessage {
        try MailMessage(
            Letter(to: to, subject: "s", text: "t"), from: try #require(MailSender("news@daily.example")),
            at: Date(timeIntervalSince1970: 0), random: .seeded(1))
    }

    private func take(_ queue: inout MailQueue, at time: TimeInterval) throws -> MailQueue.Entry {
        guard case .send(let entry) = queue.next(at: time) else {
            throw Unexpected()
        }
        return entry
    }

    private struct Unexpected: Error {}

    @Test("are sent in the order in which they came")
    func order() throws {
        var queue = MailQueue(capacity: 10)
        for name in ["a", "b", "c"] { try queue.add(message("\(name)@example.com"), at: 0) }
        for name in ["a", "b", "c"] {
            #expect(try take(&queue, at: 0).message.recipient.text == "\(name)@example.com")
        }
        guard case .wait(until: nil) = queue.next(at: 0) else { throw Unexpected() }
        #expect(queue.count == 3)
    }

    @Test("are so many at most, those that are under way included")
    func full() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        let entry = try take(&queue, at: 0)
        try queue.add(message(), at: 0)
        #expect(throws: MailRefused.full) { try queue.add(try message(), at: 0) }
        #expect(queue.finish(entry, .sent, at: 0) == .done)
        try queue.add(message(), at: 0)
    }

    @Test("are tried again after longer and longer pauses, and given up after the fourth time")
    func retries() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        var time: TimeInterval = 0
        for pause in [10.0, 60, 300] {
            let entry = try take(&queue, at: time)
            #expect(queue.finish(entry, .failed, at: time) == .tryAgain)
            guard case .wait(until: time + pause) = queue.next(at: time + pause - 1) else { throw Unexpected() }
            time += pause
        }
        let entry = try take(&queue, at: time)
        #expect(queue.finish(entry, .failed, at: time) == .givenUp)
        #expect(queue.count == 0)
    }

    @Test("are given up at once when the server would say the same again")
    func refused() throws {
        var queue = MailQueue(capacity: 2)
        try queue.add(message(), at: 0)
        let entry = try take(&queue, at: 0)
        #expect(queue.finish(entry, .refused, at: 0) == .givenUp)
        #expect(queue.count == 0)
    }

    @Test("are each tried once more when no more are taken, and then it is over")
    func closing() throws {
        var queue = MailQueue(capacity: 3)
        for _ in 0..<2 { try queue.add(message(), at: 0) }
        let first = try take(&queue, at: 0)
        #expect(queue.finish(first, .failed, at: 0) == .tryAgain)
        queue.close()
        #expect(throws: MailRefused.stopped) { try queue.add(try message(), at: 0) }
        for _ in 0..<2 {
            let entry = try take(&queue, at: 0)
            #expect(queue.finish(entry, .failed, at: 0) == .givenUp)
        }
        guard case .end = queue.next(at: 0) else { throw Unexpected() }
    }

    @Test("are none when they are abandoned")
    func abandoned() throws {
        var queue = MailQueue(capacity: 3)
        for _ in 0..<2 { try queue.add(message(), at: 0) }
        #expect(queue.abandon() == 2)
        guard case .end = queue.next(at: 0) else { throw Unexpected() }
    }
}
