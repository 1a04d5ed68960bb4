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

    @Test("A refund of a single purchase is found within a day, for as long as stores give money back")
    func refunded() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            _ = try await rig.confirm()
            for _ in 0..<89 {
                rig.clock.advance(by: day + 1)
                #expect(try await rig.desk.followUp() == 1)
                #expect(try await rig.desk.followUp() == 0)
            }
            rig.verifier.currentBy { [clock = rig.clock] in [$0.takenBack(at: clock.now)] }
            rig.clock.advance(by: day - 100)
            #expect(try await rig.desk.followUp() == 0, "a day has not passed")
            rig.clock.advance(by: 10)
            #expect(try await rig.holdings() == Holdings(editions: [november]))
            rig.clock.advance(by: 100)
            #expect(try await rig.desk.followUp() == 0, "the ninety days have")
        }
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample())
            _ = try await rig.confirm()
            rig.verifier.currentBy { [clock = rig.clock] in [$0.takenBack(at: clock.now)] }
            rig.clock.advance(by: day + 1)
            #expect(try await rig.desk.followUp() == 1)
            #expect(try await rig.holdings().isEmpty)
        }
    }

    @Test("A subscription whose last period was refunded is looked at again: it may be renewed")
    func renewedAfterRefund() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            try await rig.ledger.note([.month(revoked: noon + 9, told: noon + 9)], at: noon + 9)
            #expect(try await !rig.holdings().isSubscribed)
            rig.clock.advance(by: 30 * day + 1)
            rig.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await rig.holdings().isSubscribed)
        }
    }

    @Test("A look for which nobody was asked is none, and is not tried at every turn")
    func notAsked() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            rig.verifier.currentBy { _ in nil }
            rig.clock.advance(by: 30 * day + 1)
            for _ in 0..<3 { #expect(try await !rig.holdings().isSubscribed) }
            #expect(rig.verifier.questions == ["verify", "current"])
            #expect(!rig.events.withLock { $0.contains(.rechecked(appStore)) })
            // Another receipt of it, with which somebody can be asked.
            rig.verifier.prove(.month(told: noon + 30 * day + 1))
            _ = try await rig.confirm("another", by: buyer(2))
            rig.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            rig.clock.advance(by: 3601)
            #expect(try await rig.holdings().isSubscribed)
        }
    }

    @Test("Of two publications on one store each looks at what counts for it")
    func twoPublications() async throws {
        try await DeskRig.with { rig async throws in
            let tested = DeskRig(rig.ledger, verifier: rig.verifier, environments: [.production, .sandbox])
            let sandboxed = StoreTransaction.sample("s", expires: noon + day, environment: .sandbox)
            rig.verifier.prove(sandboxed)
            _ = try await tested.confirm()
            for clock in [rig.clock, tested.clock] { clock.advance(by: day + 1) }
            #expect(try await rig.desk.followUp() == 0)
            #expect(try await tested.desk.followUp() == 1)
            #expect(rig.verifier.questions == ["verify", "current"])
        }
    }

    @Test("A receipt that is refused after it was proven has what it proved looked at: it may have been taken back")
    func review() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample("1"), .sample("2"))
            _ = try await rig.confirm()
            rig.clock.advance(by: 3601)
            rig.verifier.refuse(.expired)
            rig.verifier.currentBy { [clock = rig.clock] in $0.id == "1" ? [$0.takenBack(at: clock.now)] : [$0] }
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.expired)))
            #expect(rig.verifier.questions == ["verify", "verify", "current", "current"])
            let known = try await rig.ledger.transactions(of: buyer(1), in: [appStore])
            #expect(known.map(\.revoked) == [rig.clock.now, nil])
            // What was taken back is not asked about again; while the store can not be asked the refusal counts alone.
            rig.verifier.currentBy { _ in throw ScriptedVerifier.BrokenDown() }
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.expired)))
            #expect(rig.verifier.questions.count == 6)
            // A receipt that never proved anything has nothing looked at.
            _ = try await rig.confirm("other")
            #expect(rig.verifier.questions.count == 7)
        }
    }

    @Test("What its store waits for is acknowledged once it is on record, and again after a failure")
    func acknowledging() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample(awaitsAcknowledgement: true))
            rig.verifier.acknowledgeBy { _ in throw ScriptedVerifier.BrokenDown() }
            #expect(try await rig.confirm() == .recorded([.sample(awaitsAcknowledgement: true)]))
            #expect(rig.verifier.questions == ["verify"])
            for _ in 0..<2 { _ = try await rig.desk.followUp() }
            #expect(rig.verifier.questions == ["verify", "acknowledge", "current"])
            #expect(try await rig.holdings() == Holdings(editions: [november]))
            rig.verifier.acknowledgeBy { _ in }
            rig.clock.advance(by: 3600)
            for _ in 0..<2 { _ = try await rig.desk.followUp() }
            #expect(rig.verifier.questions == ["verify", "acknowledge", "current", "acknowledge"])
            #expect(rig.events.withLock { $0.last } == .acknowledged(appStore))
        }
    }

    @Test("What its store never lets acknowledge is looked at all the same: it may have been taken back")
    func neverAcknowledged() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample(awaitsAcknowledgement: true))
            _ = try await rig.confirm()
            rig.verifier.acknowledgeBy { _ in throw ScriptedVerifier.BrokenDown() }
            rig.verifier.currentBy { [clock = rig.clock] in [$0.told(at: clock.now)] }
            for _ in 0..<30 {
                _ = try await rig.desk.followUp()
                rig.clock.advance(by: 3600)
            }
            #expect(try await rig.holdings() == Holdings(editions: [november]))
            rig.verifier.currentBy { [clock = rig.clock] in [$0.takenBack(at: clock.now)] }
            #expect(try await rig.desk.followUp() == 1)
            #expect(try await rig.holdings().isEmpty)
            let asked = rig.verifier.questions.count
            rig.clock.advance(by: 3600)
            #expect(try await rig.desk.followUp() == 0)
            #expect(rig.verifier.questions.count == asked)
        }
        // The app was faster.
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.sample(awaitsAcknowledgement: true))
            _ = try await rig.confirm()
            rig.verifier.acknowledgeBy { _ in throw ScriptedVerifier.BrokenDown() }
            rig.verifier.currentBy { [clock = rig.clock] in [$0.acknowledged.told(at: clock.now)] }
            rig.clock.advance(by: 1)
            #expect(try await rig.desk.followUp() == 1)
            rig.clock.advance(by: 3600)
            #expect(try await rig.desk.followUp() == 0)
            #expect(rig.verifier.questions == ["verify", "acknowledge", "current"])
        }
    }

    @Test("What failed is no progress, and what the ledger can not keep is a failure")
    func progress() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.breakDown()
            _ = try await rig.confirm("waiting", by: buyer(2))
            rig.verifier.prove(.month(), .sample("1", awaitsAcknowledgement: true))
            _ = try await rig.confirm()
            rig.verifier.breakDown()
            rig.clock.advance(by: day + 1)
            #expect(try await rig.desk.followUp() == 0)
            #expect(rig.verifier.questions.count == 2 + 4)
            rig.clock.advance(by: day + 1)
            rig.verifier.currentBy { _ in [] }
            rig.verifier.acknowledgeBy { _ in }
            let full = PurchaseDesk(
                publication: daily, products: ProductRules(), verifiers: [rig.verifier],
                ledger: BrokenLedger(full: rig.ledger), clock: rig.clock.wall)
            await #expect(throws: Unavailable.self) { try await full.followUp() }
            rig.verifier.refuse(.notFound)
            // What the full ledger could not keep is not lost: it is had again.
            #expect(try await rig.desk.followUp() > 0)
            #expect(try await rig.counts?.refused == 1)
        }
    }

    @Test("While its store can not be asked a purchase is looked at less and less often, up to the usual look")
    func doubling() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.prove(.month())
            _ = try await rig.confirm()
            rig.verifier.breakDown()
            rig.clock.advance(by: day + 1)
            func looks(within minutes: Int) async throws -> Int {
                let before = rig.verifier.questions.count
                for _ in 0..<minutes {
                    #expect(try await rig.desk.followUp() == 0)
                    rig.clock.advance(by: 60)
                }
                return rig.verifier.questions.count - before
            }
            #expect(try await (3...5).contains(looks(within: 15)))
            #expect(try await (3...5).contains(looks(within: 225)))
            rig.clock.advance(by: day)
            rig.verifier.currentBy { _ in [.month(told: noon + 3 * day)] }
            #expect(try await rig.desk.followUp() == 1)
            // What has ended is for its reader, who comes at any time.
            rig.verifier.breakDown()
            rig.clock.set(noon + 30 * day - 600)
            _ = try await rig.desk.followUp()
            rig.clock.set(noon + 30 * day + 1)
            let asked = rig.verifier.questions.count
            #expect(try await !rig.holdings().isSubscribed)
            #expect(rig.verifier.questions.count == asked + 1, "it rests until its end and no longer")
            rig.clock.advance(by: 20 * 3600)
            _ = try await rig.desk.followUp()
            rig.clock.advance(by: 3601)
            rig.verifier.currentBy { _ in [.month("n", from: noon + 30 * day)] }
            #expect(try await rig.holdings().isSubscribed)
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

    @Test("What a store is being asked about when the server stops is finished and kept", .timeLimit(.minutes(10)))
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

extension StoreTransaction {
    /// The same, said later.
    fileprivate func told(at moment: Date) -> StoreTransaction {
        .sample(
            id, of: original, product: product, purchased: purchased, expires: expires, revoked: revoked,
            awaitsAcknowledgement: awaitsAcknowledgement, told: moment)
    }
}
