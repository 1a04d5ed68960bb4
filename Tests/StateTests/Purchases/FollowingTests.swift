import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Following purchases", .serialized) struct FollowingTests {
    private let day: TimeInterval = 86_400

    @Test("A reader who comes right after the renewal is not turned away")
    func renewed() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            #expect(try await rig.holdings().isSubscribed)
            #expect(rig.verifier.questions == ["verify"])
            rig.clock.advance(by: 30 * day + 1)
            rig.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await rig.holdings().isSubscribed)
            #expect(try await rig.holdings().isSubscribed)
            #expect(rig.verifier.questions == ["verify", "current"])
        }
    }

    @Test("A subscription that ended is over, and its store is asked again within the hour only once")
    func ended() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            rig.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await !rig.holdings().isSubscribed) }
            #expect(rig.verifier.questions == ["verify", "current"])
            rig.clock.advance(by: 3601)
            #expect(try await !rig.holdings().isSubscribed)
            #expect(rig.verifier.questions.count == 3)
        }
    }

    @Test("While its store can not be asked the last word counts, and the reader does not wait for it each time")
    func storeDown() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample(), .month())
            _ = try await rig.confirm()
            rig.verifier.breakDown()
            rig.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await rig.holdings() == Holdings(editions: [november])) }
            #expect(rig.verifier.questions == ["verify", "current"])
            rig.clock.advance(by: 60)
            rig.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await rig.holdings().isSubscribed)
        }
    }

    @Test("A store that does not answer keeps nobody waiting longer than the patience")
    func patience() async throws {
        try await DeskRig.with(times: PurchaseTimes(patience: 0.01)) { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            rig.clock.advance(by: 30 * day + 1)
            // Ends when it is cancelled, as calls under a deadline do.
            rig.verifier.currentBy { _ in
                try await Task.sleep(for: .seconds(3600))
                return []
            }
            #expect(try await !rig.holdings().isSubscribed)
            #expect(try await !rig.holdings().isSubscribed)
            #expect(rig.verifier.questions == ["verify", "current"])
        }
    }

    @Test("A refund that nobody told of is found within a day")
    func running() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            #expect(try await rig.desk.followUp() == 0)
            rig.clock.advance(by: day + 1)
            rig.verifier.currentBy { _ in [.month(revoked: noon + 9, told: noon + day)] }
            #expect(try await rig.desk.followUp() == 1)
            #expect(try await rig.holdings() == Holdings())
            #expect(try await rig.desk.followUp() == 0)
        }
    }

    @Test("What can not be asked about does not stand in the way of what can")
    func noStarvation() async throws {
        try await DeskRig.with { rig async throws in
            // Its store is not sold in any longer.
            _ = try await rig.ledger.keep(.sample("foreign", store: play), at: noon)
            rig.clock.advance(by: 1)
            rig.verifier.breakDown()
            _ = try await rig.confirm()
            rig.verifier.prove(.sample("a", expires: noon + day), .sample("b", expires: noon + day))
            rig.clock.advance(by: 99)
            for _ in 0..<2 { _ = try await rig.desk.followUp(limit: 1) }
            #expect(try await rig.counts == .init(proven: 1))
            rig.clock.advance(by: 2 * day)
            rig.verifier.currentBy { transaction in
                if transaction.id == "a" { throw Unavailable(retryAfter: 1, cause: "down") }
                return [.sample("b", expires: noon + 9 * day, told: noon + 2 * day)]
            }
            for _ in 0..<2 { _ = try await rig.desk.followUp(limit: 1) }
            let ends = try await rig.ledger.transactions(of: "b", in: appStore).first?.expires
            #expect(ends == noon + 9 * day)
        }
    }

    @Test("A store's message counts once; one that can not be verified is to be sent again")
    func notifications() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            _ = try await rig.confirm()
            rig.verifier.notifyBy { body in
                guard body == [1] else { return .refused(ReceiptRefusal(.forged)) }
                return .event(
                    StoreEvent(
                        store: appStore, id: "1", name: "REFUND", signed: noon + 1,
                        transactions: [.sample(revoked: noon, told: noon + 1), .sample("1\u{0}")]))
            }
            #expect(try await rig.desk.receive(notification: [2], of: appStore) == .refused(ReceiptRefusal(.forged)))
            #expect(try await !rig.holdings().isEmpty)
            #expect(try await rig.desk.receive(notification: [1], of: appStore) == .taken(isNew: true))
            #expect(try await rig.desk.receive(notification: [1], of: appStore) == .taken(isNew: false))
            #expect(try await rig.holdings().isEmpty)
            #expect(try await rig.desk.receive(notification: [1], of: play) == nil)
            rig.verifier.breakDown()
            await #expect(throws: Unavailable.self) {
                try await rig.desk.receive(notification: [1], of: appStore)
            }
        }
    }

    @Test("A receipt that is its own credential counts what was told of its purchases before")
    func examination() async throws {
        try await DeskRig.with { rig async throws in
            let receipt = StoreReceipt([.receipt: "receipt"])
            rig.verifier.prove(.month())
            #expect(try await rig.desk.examine(receipt, from: .apple) == .genuine(purchases: [.month()]))
            let refund = StoreTransaction.month(revoked: noon, told: noon + 1)
            try await rig.ledger.note([refund], at: noon + 1)
            #expect(try await rig.desk.examine(receipt, from: .apple) == .genuine(purchases: [refund]))
            #expect(try await rig.desk.examine(receipt, from: .amazon) == .refused(ReceiptRefusal(.noStore)))
            rig.verifier.refuse(.wrongApp)
            #expect(try await rig.desk.examine(receipt, from: .apple) == .refused(ReceiptRefusal(.wrongApp)))
            rig.verifier.breakDown()
            await #expect(throws: Unavailable.self) { try await rig.desk.examine(receipt, from: .apple) }
            #expect(try await rig.counts == nil)
        }
    }

    @Test("What a store is being asked about when the server stops is finished and kept", .timeLimit(.minutes(1)))
    func stopped() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            rig.clock.advance(by: 3_600)
            let door = Door()
            rig.verifier.verifyBy { _ in
                await door.pass()
                try Task.checkCancellation()
                return .genuine([.month(from: noon + 3_600)])
            }
            let following = Task { [desk = rig.desk] in try await desk.followUp() }
            await until { door.waiting == 1 }
            following.cancel()
            door.open()
            _ = try? await following.value
            #expect(try await rig.counts?.proven == 1)
            #expect(rig.events.withLock { $0.last } == .proven(appStore))
        }
    }
}
