import Commerce
import Foundation
import Gatefold
import Logging
import State
import TestSupport
import Testing

@testable import Server

@Suite("Purchase follower service", .timeLimit(.minutes(10)))
struct PurchaseFollowerTests {
    private static let day: TimeInterval = 86_400
    private let clock = ManualClock()
    private let verifier = ScriptedVerifier()
    private let owner = PurchaseOwner(bytes: [UInt8](repeating: 1, count: 16))!

    private func purchaseService(_ ledger: any PurchaseLedger) -> PurchaseService {
        PurchaseService(
            publication: PublicationID("daily")!, products: ProductRules(), verifiers: [verifier], ledger: ledger,
            clock: clock.wall)
    }

    private func month(_ id: String) -> StoreTransaction {
        StoreTransaction(
            store: verifier.store, id: id, original: id, product: "month", purchased: clock.now,
            expires: clock.now + 30 * Self.day, environment: .production, reported: clock.now)
    }

    private func submit(_ count: Int, to purchaseService: PurchaseService) async throws {
        for number in 0..<count {
            _ = try await purchaseService.confirm(
                StoreReceipt([.receipt: "\(number)"]), from: .apple,
                owner: PurchaseOwner(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) })!)
        }
    }

    /// Returns the number of store queries at each pause of the follower, which stops at the last one.
    private func queried(following purchaseService: PurchaseService, untilPause last: Int) async throws -> [Int] {
        let seen = Locked<[Int]>([])
        let before = verifier.queries.count
        let follower = PurchaseFollower(purchaseServices: { [purchaseService] }, logger: Logger(label: "test")) {
            [verifier] _ in
            let count = seen.withLock {
                $0.append(verifier.queries.count - before)
                return $0.count
            }
            if count >= last { withUnsafeCurrentTask { $0?.cancel() } }
        }
        await Task { try? await follower.run() }.value
        return seen.withLock(\.self)
    }

    private func withLedger(_ body: (SQLStateStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try await body(try SQLStateStore(path: folder.appending(path: "state.sqlite").path))
        }
    }

    @Test("Continues without a pause while pending receipts are processed after an outage")
    func backlog() async throws {
        try await withLedger { ledger in
            let purchaseService = purchaseService(ledger)
            verifier.startOutage()
            try await submit(230, to: purchaseService)
            clock.advance(by: Self.day)
            verifier.reject(.notFound)
            #expect(try await queried(following: purchaseService, untilPause: 1) == [230])
        }
    }

    @Test("Pauses after each round during a store outage")
    func storeDown() async throws {
        try await withLedger { ledger in
            let purchaseService = purchaseService(ledger)
            verifier.startOutage()
            try await submit(230, to: purchaseService)
            clock.advance(by: Self.day)
            #expect(try await queried(following: purchaseService, untilPause: 4) == [100, 200, 230, 230])
        }
    }

    @Test("Pauses while reverifications fail, and reaches all purchases")
    func reverificationsFail() async throws {
        try await withLedger { ledger in
            let purchaseService = purchaseService(ledger)
            let start = month("")
            verifier.verifyBy { receipt in
                .genuine([
                    StoreTransaction(
                        store: start.store, id: receipt[.receipt] ?? "", original: receipt[.receipt] ?? "",
                        product: "month", purchased: start.purchased, expires: start.expires,
                        environment: .production, reported: start.reported)
                ])
            }
            try await submit(130, to: purchaseService)
            verifier.startOutage()
            clock.advance(by: Self.day + 1)
            #expect(try await queried(following: purchaseService, untilPause: 3) == [100, 130, 130])
        }
    }

    @Test("A full disk causes a pause at once, without store queries whose results could not be stored")
    func diskFull() async throws {
        try await withLedger { ledger in
            verifier.verifyPassword(month("1"), month("2"))
            try await submit(1, to: purchaseService(ledger))
            clock.advance(by: Self.day + 1)
            #expect(
                try await queried(following: purchaseService(BrokenLedger(full: ledger)), untilPause: 3) == [0, 0, 0])
            // The follower notices that the disk has room again.
            #expect(try await queried(following: purchaseService(ledger), untilPause: 2) == [2, 2])
        }
    }

    @Test("Pauses while the ledger fails")
    func ledgerDown() async throws {
        #expect(try await queried(following: purchaseService(BrokenLedger()), untilPause: 3) == [0, 0, 0])
    }
}
