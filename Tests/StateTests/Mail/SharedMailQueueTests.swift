import Foundation
import Gatefold
import Primitives
import Settings
import State
import Synchronization
import TestSupport
import Testing

@testable import Mail

/// Tests with a real mail server, and nodes that share a state.
@Suite("Mail queue of several nodes", .stateServers, .timeLimit(.minutes(10))) struct SharedMailQueueTests {
    private static let states = TestedStore<any MailOutbox>.durable { $0 }
    private static let key = PseudonymKey(Secret("a secret for pseudonyms"))
    private static let code = "The code is 123456"

    /// A node that sends messages, and what it reported.
    private struct Node {
        let mailer: QueueingMailer
        let events = Locked<[MailEvent]>([])

        init(_ outbox: any MailOutbox, _ port: Int, _ time: ManualTime, seed: UInt64) throws {
            let settings = try MailSettings(
                try YAMLSettings.read(
                    text: "{server: 'smtp://127.0.0.1:\(port)', from: 'The Daily <news@daily.example>'}",
                    name: "m.yaml", folder: "/etc/gatefold"))
            mailer = try QueueingMailer(
                settings, outbox: outbox, pseudonymKey: key, clock: time.clock.wall, random: .seeded(seed),
                sleep: time.sleep,
                observe: { [events] event in
                    if case .waiting = event { return }
                    events.withLock { $0.append(event) }
                })
        }

        /// Runs the node until it has reported a number of events and the body ends.
        func run(untilEvents count: Int, _ body: () async throws -> Void = {}) async throws {
            let running = Task { await mailer.run() }
            try await body()
            await until { events.withLock(\.count) >= count }
            mailer.close()
            await running.value
        }
    }

    private static let emailMessage = EmailMessage(to: "ada@example.com", subject: "Hello", text: code)

    @Test("A message that waits at a node that was killed is sent by another node", arguments: states)
    func killed(kind: TestedStore<any MailOutbox>) async throws {
        try await MailCatcher.with { catcher, _ in
            let time = ManualTime()
            try await kind.with(2, clock: time.clock.wall) { stores async throws in
                // This node never runs.
                try await Node(stores[0], catcher.port, time, seed: 1).mailer.send(Self.emailMessage)
                let other = try Node(stores[1], catcher.port, time, seed: 2)
                try await other.run(untilEvents: 1)
                #expect(other.events.withLock(\.self) == [.sent])
                let caught = try catcher.caught()
                #expect(caught.map(\.to) == [["ada@example.com"]] && caught[0].message.contains(Self.code))
                #expect(try await stores[0].waitingMail() == 0)
            }
        }
    }

    @Test(
        "A message whose node was killed after it was sent is sent again with the same Message-ID when the lease ends",
        arguments: states)
    func sentAndKilled(kind: TestedStore<any MailOutbox>) async throws {
        try await MailCatcher.with { catcher, _ in
            let time = ManualTime()
            try await kind.with(2, clock: time.clock.wall) { stores async throws in
                let lossy = SwitchedOutbox(stores[0])
                let first = try Node(lossy, catcher.port, time, seed: 1)
                try await first.mailer.send(Self.emailMessage)
                // The outcome is not recorded, as when the process is killed at this moment.
                try await first.run(untilEvents: 2)
                #expect(try catcher.caught().count == 1)
                #expect(try await stores[1].claimMail(1, lease: [1], at: time.clock.wall.now, until: noon).isEmpty)
                time.advance(by: 60 + MailRetries.leaseMargin)
                let second = try Node(stores[1], catcher.port, time, seed: 2)
                try await second.run(untilEvents: 2)
                #expect(second.events.withLock(\.self) == [.outcomeUnknown, .sent])
                let caught = try catcher.caught()
                #expect(caught.count == 2 && caught[0].message == caught[1].message)
                #expect(caught[0].message.contains("Message-ID: <"))
                #expect(try await stores[1].waitingMail() == 0)
            }
        }
    }

    @Test("A message without a recorded outcome of four attempts is given up", arguments: states)
    func givenUp(kind: TestedStore<any MailOutbox>) async throws {
        try await MailCatcher.with { catcher, _ in
            let time = ManualTime()
            try await kind.with(2, clock: time.clock.wall) { stores async throws in
                let node = try Node(stores[0], catcher.port, time, seed: 1)
                try await node.mailer.send(Self.emailMessage)
                for attempt in 1...MailRetries.maxAttempts {
                    let now = time.clock.wall.now
                    let claims = try await stores[1].claimMail(1, lease: [UInt8(attempt)], at: now, until: now + 90)
                    #expect(claims.map(\.attempts) == [attempt])
                    time.advance(by: 90)
                }
                try await node.run(untilEvents: 2)
                #expect(
                    node.events.withLock(\.self)
                        == [.outcomeUnknown, .failed(cause: "the outcome of the last attempt is unknown")])
                #expect(try catcher.caught().isEmpty)
                #expect(try await stores[0].waitingMail() == 0)
            }
        }
    }

    @Test("An expired message is not sent", arguments: states)
    func expired(kind: TestedStore<any MailOutbox>) async throws {
        try await MailCatcher.with { catcher, _ in
            let time = ManualTime()
            try await kind.with(clock: time.clock.wall) { store async throws in
                let node = try Node(store, catcher.port, time, seed: 1)
                var emailMessage = Self.emailMessage
                emailMessage.expiresAt = time.clock.wall.now + 600
                try await node.mailer.send(emailMessage)
                time.advance(by: 600)
                try await node.run(untilEvents: 1)
                #expect(node.events.withLock(\.self) == [.expired])
                #expect(try catcher.caught().isEmpty)
                #expect(try await store.waitingMail() == 0)
            }
        }
    }

    @Test("A message that was sent while the state was away is not sent again", arguments: states)
    func sentWhileAway(kind: TestedStore<any MailOutbox>) async throws {
        try await MailCatcher.with { catcher, _ in
            let time = ManualTime()
            try await kind.with(2, clock: time.clock.wall) { stores async throws in
                let outbox = SwitchedOutbox(stores[0])
                let node = try Node(outbox, catcher.port, time, seed: 1)
                try await node.mailer.send(Self.emailMessage)
                try await node.run(untilEvents: 2) {
                    await until { node.events.withLock { $0.contains(.sent) } }
                    #expect(try await stores[1].waitingMail() == 1)
                    outbox.isAway = false
                    // Also beyond the lease.
                    for _ in 0..<30 {
                        time.advance(by: QueueingMailer.period)
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    try await eventually("the row is deleted") {
                        time.advance(by: QueueingMailer.period)
                        return try await stores[1].waitingMail() == 0
                    }
                }
                #expect(try catcher.caught().count == 1)
            }
        }
    }

    @Test("Neither the address nor the text of a message is readable in the state", arguments: states)
    func sealed(kind: TestedStore<any MailOutbox>) async throws {
        let time = ManualTime()
        try await kind.with(clock: time.clock.wall) { store async throws in
            try await Node(store, 1, time, seed: 1).mailer.send(Self.emailMessage)
            let now = time.clock.wall.now
            let claim = try #require(try await store.claimMail(1, lease: [1], at: now, until: now + 90).first)
            for secret in ["ada", "example.com", Self.code, "Hello"] {
                #expect(Data(claim.content).range(of: Data(secret.utf8)) == nil)
            }
            let opened = try #require(Self.key.openMail(claim.content))
            #expect(opened.recipient.text == "ada@example.com")
            #expect(String(decoding: opened.bytes, as: UTF8.self).contains(Hexadecimal.encode(claim.id)))
            #expect(PseudonymKey(Secret("another secret for pseudonyms")).openMail(claim.content) == nil)
        }
    }
}

/// An outbox that is unavailable once a message was claimed, until a test makes it available.
private final class SwitchedOutbox: MailOutbox {
    struct Away: Error {}

    private let store: any MailOutbox
    private let away = Atomic(false)
    private let wasClaimed = Atomic(false)

    init(_ store: any MailOutbox) { self.store = store }

    var isAway: Bool {
        get { away.load(ordering: .acquiring) }
        set { away.store(newValue, ordering: .releasing) }
    }

    private func reach() throws { if isAway { throw Away() } }

    func enqueue(_ mail: QueuedMail, limit: Int, at timestamp: Date) async throws -> Bool {
        try reach()
        return try await store.enqueue(mail, limit: limit, at: timestamp)
    }

    func claimMail(_ count: Int, lease: [UInt8], at timestamp: Date, until end: Date) async throws -> [MailClaim] {
        try reach()
        let claims = try await store.claimMail(count, lease: lease, at: timestamp, until: end)
        if !claims.isEmpty, !wasClaimed.exchange(true, ordering: .acquiringAndReleasing) { isAway = true }
        return claims
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
