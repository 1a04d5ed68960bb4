import Foundation
import Gatefold
import Logging
import State
import TestSupport
import Testing

@testable import Server

@Suite("What follows purchases up", .timeLimit(.minutes(10)))
struct PurchaseFollowerTests {
    private static let day: TimeInterval = 86_400
    private let clock = ManualClock()
    private let verifier = ScriptedVerifier()
    private let owner = PurchaseOwner(bytes: [UInt8](repeating: 1, count: 16))!

    private func desk(_ ledger: any PurchaseLedger) -> PurchaseDesk {
        PurchaseDesk(
            publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: ledger,
            clock: clock.wall)
    }

    private func month(_ id: String) -> StoreTransaction {
        StoreTransaction(
            store: verifier.store, id: id, original: id, product: "month", purchased: clock.now,
            expires: clock.now + 30 * Self.day, environment: .production, told: clock.now)
    }

    private func handIn(_ count: Int, to desk: PurchaseDesk) async throws {
        for number in 0..<count {
            _ = try await desk.confirm(
                StoreReceipt([.receipt: "\(number)"]), from: .apple,
                owner: PurchaseOwner(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) })!)
        }
    }

    /// How often its stores had been asked each time that the follower paused; it stops at the last.
    private func asked(following desk: PurchaseDesk, untilPause last: Int) async throws -> [Int] {
        let seen = Kept<[Int]>([])
        let before = verifier.questions.count
        let follower = PurchaseFollower(desks: { [desk] }, logger: Logger(label: "test")) { [verifier] _ in
            let count = seen.withLock {
                $0.append(verifier.questions.count - before)
                return $0.count
            }
            if count >= last { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await Task { try? await follower.run() }.value
        return seen.withLock(\.self)
    }

    private func withLedger(_ body: (SQLiteStateStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await body(try SQLiteStateStore(path: folder.appending(path: "state.sqlite").path))
        }
    }

    @Test("goes on without a pause while receipts wait whose store answers again")
    func backlog() async throws {
        try await withLedger { ledger in
            let desk = desk(ledger)
            verifier.breakDown()
            try await handIn(230, to: desk)
            clock.advance(by: Self.day)
            verifier.refuse(.notFound)
            #expect(try await asked(following: desk, untilPause: 1) == [230])
        }
    }

    @Test("pauses after each round while a store can not be asked")
    func storeDown() async throws {
        try await withLedger { ledger in
            let desk = desk(ledger)
            verifier.breakDown()
            try await handIn(230, to: desk)
            clock.advance(by: Self.day)
            #expect(try await asked(following: desk, untilPause: 4) == [100, 200, 230, 230])
        }
    }

    @Test("pauses while purchases can not be looked at, and comes to all of them")
    func looksFail() async throws {
        try await withLedger { ledger in
            let desk = desk(ledger)
            let start = month("")
            verifier.verifyBy { receipt in
                .genuine([
                    StoreTransaction(
                        store: start.store, id: receipt[.receipt] ?? "", original: receipt[.receipt] ?? "",
                        product: "month", purchased: start.purchased, expires: start.expires,
                        environment: .production, told: start.told)
                ])
            }
            try await handIn(130, to: desk)
            verifier.breakDown()
            clock.advance(by: Self.day + 1)
            #expect(try await asked(following: desk, untilPause: 3) == [100, 130, 130])
        }
    }

    @Test("pauses at once where a full disk keeps nothing, and asks no store what it could not keep")
    func diskFull() async throws {
        try await withLedger { ledger in
            verifier.prove(month("1"), month("2"))
            try await handIn(1, to: desk(ledger))
            clock.advance(by: Self.day + 1)
            #expect(try await asked(following: desk(BrokenLedger(full: ledger)), untilPause: 3) == [0, 0, 0])
            // A disk that has room again is found by itself.
            #expect(try await asked(following: desk(ledger), untilPause: 2) == [2, 2])
        }
    }

    @Test("pauses where the ledger can not be asked")
    func ledgerDown() async throws {
        #expect(try await asked(following: desk(BrokenLedger()), untilPause: 3) == [0, 0, 0])
    }
}
