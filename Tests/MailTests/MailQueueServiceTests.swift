import Foundation
import Gatefold
import Primitives
import Settings
import TestSupport
import Testing

@testable import Mail

/// Tests with a real mail server, while the state is away: the messages wait in memory.
@Suite("Mail queue without the state")
struct MailQueueServiceTests {
    private func settings(_ port: Int, _ more: String = "") throws -> MailSettings {
        try MailSettings(
            try YAMLSettings.read(
                text: "{server: 'smtp://127.0.0.1:\(port)', from: 'The Daily <news@daily.example>'\(more)}",
                name: "m.yaml", folder: "/etc/gatefold"))
    }

    private func mailer(
        _ settings: MailSettings, _ time: ManualTime, _ events: Locked<[MailEvent]>,
        outbox: any MailOutbox = UnavailableOutbox()
    ) throws -> QueueingMailer {
        try QueueingMailer(
            settings, outbox: outbox, pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")),
            clock: time.clock.wall, random: .seeded(1), sleep: time.sleep,
            observe: { event in
                switch event {
                case .waiting, .outboxFailed: break
                default: events.withLock { $0.append(event) }
                }
            })
    }

    private func emailMessage(_ to: String, _ subject: String = "Hello") -> EmailMessage {
        EmailMessage(to: to, subject: subject, text: "Text")
    }

    @Test("Sends all accepted messages over a few connections", .timeLimit(.minutes(10)))
    func sends() async throws {
        try await MailCatcher.with { catcher, _ in
            let events = Locked<[MailEvent]>([])
            let mailer = try mailer(settings(catcher.port), ManualTime(), events)
            let running = Task { await mailer.run() }
            for number in 0..<20 { try await mailer.send(emailMessage("reader\(number)@example.com")) }
            let caught = try await catcher.caught(atLeast: 20)
            #expect(Set(caught.flatMap(\.to)).count == 20)
            mailer.close()
            await running.value
            #expect(events.withLock(\.self) == Array(repeating: .sent, count: 20))
            await #expect(throws: MailRejected.stopped) { try await mailer.send(emailMessage("late@example.com")) }
        }
    }

    @Test("Rejects an invalid recipient and a message beyond the queue's capacity")
    func rejects() async throws {
        let events = Locked<[MailEvent]>([])
        let mailer = try mailer(settings(1, ", max_queued: 2"), ManualTime(), events)
        await #expect(throws: MailRejected.address) { try await mailer.send(emailMessage("nobody")) }
        try await mailer.send(emailMessage("a@example.com"))
        try await mailer.send(emailMessage("b@example.com"))
        await #expect(throws: MailRejected.full) { try await mailer.send(emailMessage("c@example.com")) }
        #expect(events.withLock(\.self) == [.rejected(.address), .rejected(.full)])
    }

    @Test("Retries after the server returns, and drops permanently rejected messages", .timeLimit(.minutes(10)))
    func retries() async throws {
        try await MailCatcher.with(responses: ["gone@example.com": "550 5.1.1 <gone@example.com> No"]) {
            catcher, server in
            let events = Locked<[MailEvent]>([])
            let time = ManualTime()
            let mailer = try mailer(settings(catcher.port, ", max_connections: 1"), time, events)
            let running = Task { await mailer.run() }
            await server.stop(SIGKILL)
            try await mailer.send(emailMessage("ada@example.com"))
            while events.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(events.withLock(\.self) == [.postponed(cause: "the mail server cannot be reached")])
            try await server.start()
            while try catcher.caught().isEmpty {
                time.advance(by: 1)
                try await Task.sleep(for: .milliseconds(5))
            }
            try await mailer.send(emailMessage("gone@example.com"))
            while events.withLock({ $0.count < 3 }) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(
                events.withLock { Array($0.suffix(2)) }
                    == [.sent, .failed(cause: "the mail server rejected the message with 550 (5.1.1)")])
            mailer.close()
            await running.value
        }
    }

    @Test("Sends waiting messages on close and stops in time if the server is slow", .timeLimit(.minutes(10)))
    func closes() async throws {
        try await MailCatcher.with { catcher, _ in
            let events = Locked<[MailEvent]>([])
            let time = ManualTime()
            let mailer = try mailer(settings(catcher.port, ", max_connections: 1"), time, events)
            try await mailer.send(emailMessage("ada@example.com"))
            try await mailer.send(emailMessage("slow@example.com"))
            try await mailer.send(emailMessage("late@example.com"))
            mailer.close()
            let running = Task { await mailer.run() }
            _ = try await catcher.caught(atLeast: 1)
            // The grace period of the close, and the wait for a message that is due later.
            while time.sleeping < 2 { try await Task.sleep(for: .milliseconds(5)) }
            time.advance(by: QueueingMailer.grace)
            await running.value
            // Independent of whether the slow message had started by then.
            #expect(events.withLock(\.count) == 3, "\(events.withLock(\.self))")
            #expect(
                events.withLock { $0.contains(.failed(cause: "the server stopped")) && $0.contains(.sent) })
        }
    }

    @Test("Reports each waiting message as failed on cancellation", .timeLimit(.minutes(10)))
    func cancelled() async throws {
        let events = Locked<[MailEvent]>([])
        // An unreachable server: the messages wait for a retry that never happens.
        let mailer = try mailer(settings(FreePort.find()), ManualTime(), events)
        let running = Task { await mailer.run() }
        for number in 0..<3 { try await mailer.send(emailMessage("reader\(number)@example.com")) }
        await until { events.withLock(\.count) == 3 }
        running.cancel()
        await running.value
        #expect(
            events.withLock { Array($0.suffix(3)) } == Array(repeating: .failed(cause: "the server stopped"), count: 3))
        #expect(events.withLock(\.count) == 6)
        await #expect(throws: MailRejected.stopped) { try await mailer.send(emailMessage("late@example.com")) }
    }

    @Test("Events contain no address")
    func secrecy() async throws {
        try await MailCatcher.with(responses: ["ada@example.com": "450 4.2.1 <ada@example.com> later"]) { catcher, _ in
            let events = Locked<[MailEvent]>([])
            let mailer = try mailer(settings(catcher.port), ManualTime(), events)
            let running = Task { await mailer.run() }
            try await mailer.send(emailMessage("ada@example.com"))
            while events.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
            #expect(!"\(events.withLock(\.self))".contains("ada"))
            mailer.close()
            await running.value
        }
    }

    @Test("A message that was accepted while the state was away is sent from memory when the state is back")
    func returned() async throws {
        try await MailCatcher.with { catcher, _ in
            let events = Locked<[MailEvent]>([])
            let state = InMemoryMailOutbox()
            let outbox = UnavailableOutbox(failures: 1, state)
            let mailer = try mailer(settings(catcher.port), ManualTime(), events, outbox: outbox)
            try await mailer.send(emailMessage("ada@example.com"))
            #expect(state.waitingMail() == 0)
            try await mailer.send(emailMessage("grace@example.com"))
            #expect(state.waitingMail() == 1)
            let running = Task { await mailer.run() }
            let caught = try await catcher.caught(atLeast: 2)
            #expect(Set(caught.map(\.to)) == [["ada@example.com"], ["grace@example.com"]])
            mailer.close()
            await running.value
            #expect(events.withLock(\.self) == [.sent, .sent])
            #expect(state.waitingMail() == 0)
        }
    }
}

/// An outbox whose first calls fail.
private final class UnavailableOutbox: MailOutbox {
    struct Away: Error {}

    private let store: any MailOutbox
    private let failures: Locked<Int>

    /// - Parameter failures: The number of calls that fail.
    init(failures: Int = .max, _ store: any MailOutbox = InMemoryMailOutbox()) {
        self.store = store
        self.failures = Locked(failures)
    }

    private func reach() throws {
        let fails = failures.withLock { failures in
            failures -= 1
            return failures >= 0
        }
        if fails { throw Away() }
    }

    func enqueue(_ mail: QueuedMail, limit: Int, at timestamp: Date) async throws -> Bool {
        try reach()
        return try await store.enqueue(mail, limit: limit, at: timestamp)
    }

    func claimMail(_ count: Int, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> [MailClaim] {
        try reach()
        return try await store.claimMail(count, lease: lease, at: timestamp, until: end)
    }

    func postponeMail(_ id: QueuedMail.ID, lease: [UInt8], at timestamp: Date, until next: Date) async throws {
        try reach()
        try await store.postponeMail(id, lease: lease, at: timestamp, until: next)
    }

    func removeMail(_ id: QueuedMail.ID) async throws {
        try reach()
        try await store.removeMail(id)
    }

    func waitingMail() async throws -> Int {
        try reach()
        return try await store.waitingMail()
    }
}
