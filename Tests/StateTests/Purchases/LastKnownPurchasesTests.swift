import Commerce
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

/// Source: issue “Many nodes”, “A node without its store”.
@Suite("Purchases while the ledger is unavailable") struct LastKnownPurchasesTests {
    private struct OutageError: Error {}

    /// A publication with a ledger that counts the reads, and that fails while it is set.
    private struct Fixture {
        let ledger = Locked<(purchases: [StoreTransaction], fails: Bool, reads: Int)>(([], false, 0))
        let clock = ManualClock(noon)
        let service: PurchaseService

        init() {
            let ledger = ledger
            service = PurchaseService(
                publication: daily, products: ProductRules(subscriptions: [PurchaseServiceHarness.month]),
                verifiers: [ScriptedVerifier()],
                ledger: BrokenLedger(reporting: { _ in
                    let purchases = ledger.withLock { ledger in
                        ledger.reads += 1
                        return ledger.fails ? nil : ledger.purchases
                    }
                    guard let purchases else { throw OutageError() }
                    return purchases
                }), clock: clock.wall)
        }

        func holdings(_ number: UInt8 = 1) async throws -> Holdings {
            try await service.holdings(of: buyer(number), in: PurchaseServiceHarness.catalogue)
        }
    }

    @Test("Known readers keep what they bought, and nothing is known of others")
    func outage() async throws {
        let fixture = Fixture()
        fixture.ledger.withLock { $0.purchases = [.sample(), .month()] }
        let known = try await fixture.holdings()
        #expect(known.isSubscribed && known.editions.contains(november))
        fixture.ledger.withLock { $0 = ([], true, 0) }
        #expect(try await fixture.holdings() == known)
        await #expect(throws: Unavailable.self) { try await fixture.holdings(2) }
        // Readers without purchases are known too.
        fixture.ledger.withLock { $0.fails = false }
        #expect(try await fixture.holdings(2).isEmpty)
        fixture.ledger.withLock { $0.fails = true }
        #expect(try await fixture.holdings(2).isEmpty)
    }

    @Test("A subscription ends in an outage, and purchases count for seven days")
    func time() async throws {
        let fixture = Fixture()
        fixture.ledger.withLock { $0.purchases = [.sample(), .month(days: 3)] }
        _ = try await fixture.holdings()
        fixture.ledger.withLock { $0.fails = true }
        fixture.clock.advance(by: 4 * 86_400)
        let known = try await fixture.holdings()
        #expect(!known.isSubscribed && known.editions.contains(november))
        fixture.clock.advance(by: 3 * 86_400)
        await #expect(throws: Unavailable.self) { try await fixture.holdings() }
    }

    @Test("What the ledger reports later replaces what it reported before")
    func replaced() async throws {
        let fixture = Fixture()
        fixture.ledger.withLock { $0.purchases = [.sample()] }
        _ = try await fixture.holdings()
        fixture.ledger.withLock { $0.purchases = [] }
        _ = try await fixture.holdings()
        fixture.ledger.withLock { $0.fails = true }
        #expect(try await fixture.holdings().isEmpty)
    }

    @Test(
        "A decision reads the purchases once if none is reverified",
        arguments: [
            [], [.sample()], [.month()], [.month(days: -1)], [.month(days: -1), .month("renewed", days: 30)],
        ] as [[StoreTransaction]])
    func reads(_ purchases: [StoreTransaction]) async throws {
        let fixture = Fixture()
        fixture.ledger.withLock { $0.purchases = purchases }
        _ = try await fixture.holdings()
        #expect(fixture.ledger.withLock(\.reads) == 1)
    }
}
