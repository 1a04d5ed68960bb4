import Accounts
import Foundation
import Gatefold
import Mail
import State
import TestSupport
import Testing

@Suite("Mail outbox", .stateServers) struct MailOutboxConformance {
    private static let states = TestedStore<any StateStore>.durable { $0 }

    private func mail(_ number: UInt8, of owner: PurchaseOwner? = nil, until end: Date = noon + 3600) -> QueuedMail {
        QueuedMail(id: [UInt8](repeating: number, count: 16), content: [number, 0, 1], owner: owner, expiresAt: end)
    }

    private func claim(
        _ mail: QueuedMail, _ lease: [UInt8], attempts: Int, isOutcomeUnknown: Bool = false
    ) -> MailClaim {
        MailClaim(
            id: mail.id, content: mail.content, expiresAt: mail.expiresAt, lease: lease, attempts: attempts,
            isOutcomeUnknown: isOutcomeUnknown)
    }

    @Test(
        "Hands out the messages that have been due longest, each to one process",
        arguments: TestedStore<any MailOutbox>.all)
    func order(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with(2) { stores async throws in
            for number in [1, 3, 2] as [UInt8] {
                #expect(try await stores[0].enqueue(mail(number), limit: 9, at: noon + Double(number)))
            }
            #expect(try await stores[1].claimMail(9, lease: [1], at: noon, until: noon + 90).isEmpty)
            let first = try await stores[1].claimMail(2, lease: [1], at: noon + 9, until: noon + 90)
            #expect(first == [claim(mail(1), [1], attempts: 1), claim(mail(2), [1], attempts: 1)])
            let second = try await stores[0].claimMail(2, lease: [2], at: noon + 9, until: noon + 90)
            #expect(second == [claim(mail(3), [2], attempts: 1)])
            #expect(try await stores[1].claimMail(9, lease: [3], at: noon + 9, until: noon + 90).isEmpty)
            #expect(try await stores[1].waitingMail() == 3)
            try await stores[1].removeMail(mail(1).id)
            #expect(try await stores[0].waitingMail() == 2)
        }
    }

    @Test(
        "A message whose process died is due again when its lease ends, with an unknown outcome",
        arguments: TestedStore<any MailOutbox>.all)
    func abandoned(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with(2) { stores async throws in
            #expect(try await stores[0].enqueue(mail(1), limit: 9, at: noon))
            #expect(try await stores[0].claimMail(1, lease: [1], at: noon, until: noon + 90).count == 1)
            #expect(try await stores[1].claimMail(1, lease: [2], at: noon + 89, until: noon + 180).isEmpty)
            #expect(
                try await stores[1].claimMail(1, lease: [2], at: noon + 90, until: noon + 180)
                    == [claim(mail(1), [2], attempts: 2, isOutcomeUnknown: true)])
            // The first process was only paused. Its late report changes nothing.
            try await stores[0].postponeMail(mail(1).id, lease: [1], at: noon + 91, until: noon + 92)
            #expect(try await stores[0].claimMail(1, lease: [3], at: noon + 179, until: noon + 270).isEmpty)
        }
    }

    @Test("A postponed message waits, with a known outcome", arguments: TestedStore<any MailOutbox>.all)
    func postponed(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with { store async throws in
            #expect(try await store.enqueue(mail(1), limit: 9, at: noon))
            #expect(try await store.claimMail(1, lease: [1], at: noon, until: noon + 90).count == 1)
            try await store.postponeMail(mail(1).id, lease: [1], at: noon + 5, until: noon + 15)
            #expect(try await store.claimMail(1, lease: [2], at: noon + 14, until: noon + 90).isEmpty)
            #expect(
                try await store.claimMail(1, lease: [2], at: noon + 15, until: noon + 90)
                    == [claim(mail(1), [2], attempts: 2)])
        }
    }

    @Test("A message is due at once if the clock was set back", arguments: TestedStore<any MailOutbox>.all)
    func clockSetBack(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with { store async throws in
            let ahead = noon + 86_400
            #expect(try await store.enqueue(mail(1, until: ahead + 600), limit: 9, at: ahead))
            #expect(try await store.claimMail(1, lease: [1], at: noon, until: noon + 90).count == 1)
        }
    }

    @Test("Two processes together never store more messages than the limit", arguments: TestedStore<any MailOutbox>.all)
    func limit(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with(2) { stores async throws in
            let stored = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<20 {
                    group.addTask { [self] in
                        try await stores[number % 2].enqueue(mail(UInt8(number)), limit: 7, at: noon)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(stored == 7)
            #expect(try await stores[0].waitingMail() == 7)
            // A message that is being sent still counts.
            let claim = try #require(
                try await stores[1].claimMail(1, lease: [1], at: noon, until: noon + 90).first)
            #expect(try await !stores[0].enqueue(mail(30), limit: 7, at: noon))
            try await stores[1].removeMail(claim.id)
            #expect(try await stores[0].enqueue(mail(30), limit: 7, at: noon))
        }
    }

    @Test(
        "Many processes that claim at the same time get different messages",
        arguments: TestedStore<any MailOutbox>.all)
    func together(kind: TestedStore<any MailOutbox>) async throws {
        try await kind.with(2) { stores async throws in
            for number in 0..<40 as Range<UInt8> { _ = try await stores[0].enqueue(mail(number), limit: 99, at: noon) }
            let claimed = try await withThrowingTaskGroup(of: [MailClaim].self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await stores[number % 2].claimMail(
                            5, lease: [UInt8(number)], at: noon, until: noon + 90)
                    }
                }
                return try await group.reduce([]) { $0 + $1 }
            }
            let rest = try await stores[0].claimMail(99, lease: [99], at: noon, until: noon + 90)
            #expect((claimed + rest).map(\.id).sorted { $0[0] < $1[0] } == (0..<40).map { mail($0).id })
            #expect((claimed + rest).allSatisfy { $0.attempts == 1 && !$0.isOutcomeUnknown })
        }
    }

    @Test("An erasure deletes the messages to the reader", arguments: states)
    func erased(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store async throws in
            for (number, owner) in [(1, buyer(1)), (2, buyer(2)), (3, nil)] as [(UInt8, PurchaseOwner?)] {
                _ = try await store.enqueue(mail(number, of: owner), limit: 9, at: noon)
            }
            #expect(try await store.eraseAccounts(of: buyer(1)) == 0)
            let rest = try await store.claimMail(9, lease: [1], at: noon, until: noon + 90)
            #expect(rest.map(\.id) == [mail(2).id, mail(3).id])
        }
    }

    @Test("Expired messages are deleted even if no process sends any", arguments: states)
    func pruned(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store async throws in
            _ = try await store.enqueue(mail(1, until: noon + 600), limit: 9, at: noon)
            _ = try await store.enqueue(mail(2, until: noon + 86_400), limit: 9, at: noon)
            _ = try await store.maintain()
            #expect(try await store.waitingMail() == 2)
            clock.advance(by: 3601)
            _ = try await store.maintain()
            #expect(try await store.waitingMail() == 1)
        }
    }

    @Test("A state that replaces a newer one sends none of its messages again", arguments: states)
    func history(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store async throws in
            _ = try await store.enqueue(mail(1), limit: 9, at: noon)
            _ = try await store.endAllSessions()
            #expect(try await store.waitingMail() == 0)
        }
    }

    @Test("The status shows the messages that wait, and those without a recorded outcome", arguments: states)
    func status(kind: TestedStore<any StateStore>) async throws {
        let clock = ManualClock(noon)
        try await kind.with(clock: clock.wall) { store async throws in
            for number in [1, 2] as [UInt8] { _ = try await store.enqueue(mail(number), limit: 9, at: noon) }
            _ = try await store.claimMail(1, lease: [1], at: noon, until: noon + 90)
            var status = try await store.status()
            #expect(status.mailWaiting == 2 && status.mailOutcomeUnknown == 0)
            clock.advance(by: 90)
            status = try await store.status()
            #expect(status.mailWaiting == 2 && status.mailOutcomeUnknown == 1)
        }
    }
}
