import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Receipts that wait", .serialized) struct LimitedDeskTests {
    private let day: TimeInterval = 86_400

    @Test("beyond the limit are not kept, and the app is told to come again")
    func limit() async throws {
        try await DeskRig.with(limits: ReceiptLimits(ofOwner: 2, perHour: 3)) { rig async throws in
            rig.verifier.breakDown()
            for text in ["1", "2"] { #expect(try await rig.confirm(text) == .kept) }
            await #expect(throws: Unavailable(retryAfter: 3600, cause: ReceiptLimitReached.ofOwner.cause)) {
                try await rig.confirm("3")
            }
            #expect(try await rig.confirm("3", by: buyer(2)) == .kept)
            await #expect(throws: Unavailable(retryAfter: 600, cause: ReceiptLimitReached.perHour.cause)) {
                try await rig.confirm("4", by: buyer(3))
            }
            #expect(rig.verifier.questions.count == 3)
            #expect(try await rig.counts == .init(waiting: 3))
            #expect(
                rig.events.withLock { $0 }.suffix(2) == [
                    .postponed(appStore, cause: "BrokenDown"), .limited(appStore, .perHour),
                ])
            // As soon as the store answers there is room again.
            rig.verifier.prove(.sample())
            rig.clock.advance(by: 60)
            _ = try await rig.desk.followUp()
            #expect(try await rig.confirm("4") == .recorded([.sample()]))
        }
    }

    @Test("in too great a number are not kept, while a store that answers is asked about new ones all the same")
    func backlog() async throws {
        try await DeskRig.with(limits: ReceiptLimits(waiting: 1)) { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm("1") == .kept)
            await #expect(throws: Unavailable.self) { try await rig.confirm("2") }
            #expect(try await rig.counts == .init(waiting: 1))
            #expect(rig.events.withLock { $0.last } == .limited(appStore, .waiting))
            rig.verifier.prove(.sample())
            #expect(try await rig.confirm("2") == .recorded([.sample()]))
            #expect(try await rig.counts == .init(waiting: 1, proven: 1))
        }
    }

    @Test("longer than one may are forgotten, and handed in again are new ones")
    func age() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            _ = try await rig.ledger.keep(.sample("of a store no longer sold in", store: play), at: noon)
            for _ in 0..<29 {
                rig.clock.advance(by: day)
                _ = try await rig.desk.followUp()
            }
            #expect(try await rig.counts == .init(waiting: 1))
            rig.clock.advance(by: day)
            // Nobody is told that it is kept.
            await #expect(throws: Unavailable.self) { try await rig.confirm() }
            #expect(try await rig.counts == nil)
            _ = try await rig.desk.followUp()
            #expect(try await rig.ledger.standings(in: daily) == ReceiptCounts())
            #expect(
                rig.events.withLock { $0.suffix(2) } == [.givenUp(appStore), .givenUp(play)])
            #expect(try await rig.confirm() == .kept)
            rig.verifier.prove(.sample())
            rig.clock.advance(by: 60)
            _ = try await rig.desk.followUp()
            #expect(try await rig.holdings() == Holdings(editions: [november]))
        }
    }

    @Test("a refusal that comes late leaves what was proven meanwhile as it is")
    func race() async throws {
        try await DeskRig.with { rig async throws in
            let desk = rig.desk
            rig.verifier.verifyBy { [verifier = rig.verifier] _ in
                // While this one is asked about, another process proves it.
                verifier.prove(.sample())
                _ = try await desk.confirm(StoreReceipt([.receipt: "receipt"]), from: .apple, owner: buyer(1))
                return .refused(ReceiptRefusal(.storeRefused, code: 21_009))
            }
            _ = try await rig.confirm()
            #expect(try await rig.counts == .init(proven: 1))
            #expect(try await rig.holdings() == Holdings(editions: [november]))
            // One that was proven when it was read is refused by a later word.
            rig.clock.advance(by: 2 * day)
            rig.verifier.refuse(.storeRefused)
            #expect(try await rig.confirm() == .refused(ReceiptRefusal(.storeRefused)))
            #expect(try await rig.counts == .init(refused: 1))
        }
    }

    @Test("Pitfall 21: a receipt that waits is not forgotten because the clock is ahead, and is due once it is right")
    func clockAhead() async throws {
        try await DeskRig.with { rig async throws in
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            rig.clock.step(by: 365 * 86_400)
            rig.clock.advance(by: 60)
            _ = try await rig.desk.followUp()
            #expect(try await rig.counts == .init(waiting: 1))
            rig.clock.step(by: -365 * 86_400)
            rig.verifier.prove(.sample())
            #expect(try await rig.desk.followUp() == 1)
            #expect(try await rig.counts == .init(proven: 1))
        }
    }

    @Test("Pitfall 21: nor because the clock was behind when it came")
    func clockBehind() async throws {
        try await DeskRig.with { rig async throws in
            rig.clock.step(by: -365 * 86_400)
            rig.verifier.breakDown()
            #expect(try await rig.confirm() == .kept)
            rig.clock.step(by: 365 * 86_400)
            rig.clock.advance(by: 60)
            _ = try await rig.desk.followUp()
            #expect(try await rig.counts == .init(waiting: 1))
        }
    }
}
