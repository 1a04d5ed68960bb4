import Commerce
import Foundation
import StoreFixtures
import TestSupport
import Testing

@Suite("Kill at random points of 1,000 confirmations")
struct KilledWhileConfirmingTests {
    private static let confirmations = 1_000
    private static let users = 20

    private struct Order: Sendable {
        let number: Int
        var user: String { "user-\(number % KilledWhileConfirmingTests.users)" }
        var transaction: String { "9\(String(format: "%06d", number))" }
        var receipt: String {
            StoreSuiteHarness.single("com.example.daily.special-\(number)", transaction: transaction)
        }
        /// The digest by which the ledger identifies the receipt.
        var digest: String {
            StoreReceipt([.receipt: receipt]).digest.map { String(format: "%02x", $0) }.joined()
        }
    }

    /// Submits the receipts, eight at a time, until all are done or the server stops responding.
    private func confirm(_ orders: [Order], _ harness: StoreSuiteHarness, _ acknowledged: Locked<Set<Int>>) async {
        let left = Locked(orders[...])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while let order = left.withLock({ $0.popFirst() }) {
                        let response = try? await harness.http.post(
                            "/confirmpurchase/\(StoreSuiteHarness.app)/\(order.user)",
                            [("Content-Type", "application/x-www-form-urlencoded")],
                            Array("receipt_data=\(order.receipt.formEncoded)".utf8))
                        guard let response else { return }
                        #expect(response.status == 200)
                        acknowledged.withLock { _ = $0.insert(order.number) }
                    }
                }
            }
        }
    }

    @Test("Each receipt that was confirmed with 200 is stored exactly once after the restart")
    func killed() async throws {
        // Without a catalogue every product is an edition.
        try await StoreSuiteHarness.with(change: { text in
            String(text.prefix(upTo: text.range(of: "    catalogue:")?.lowerBound ?? text.endIndex))
        }) { harness in
            let all = (0..<Self.confirmations).map { Order(number: $0) }
            let acknowledged = Locked<Set<Int>>([])
            var random = SeededRandom(seed: 18)
            for kill in 1...10 {
                // The loss of a pending receipt would otherwise remain undetected.
                harness.apple.isReachable.withLock { $0 = !(4...6).contains(kill) }
                try await withServer(harness.launch) { server in
                    let open = all.filter { order in !acknowledged.withLock { $0.contains(order.number) } }
                    let target = min(Self.confirmations - 1, kill * 95 - Int.random(in: 0..<60, using: &random))
                    async let confirming: Void = confirm(open, harness, acknowledged)
                    try await eventually("enough is acknowledged", within: .seconds(180)) {
                        acknowledged.withLock { $0.count } >= target
                    }
                    server.send(SIGKILL)
                    #expect(await server.end() == -SIGKILL)
                    await confirming
                }
                try await expectAll(acknowledged.withLock(\.self), harness)
            }
            try await withServer(harness.launch) { _ in
                await confirm(
                    all.filter { order in !acknowledged.withLock { $0.contains(order.number) } }, harness, acknowledged)
                #expect(acknowledged.withLock { $0.count } == Self.confirmations)
                // The server verifies receipts that were stored before a kill without another submission.
                try await eventually("every receipt is proven", within: .seconds(150)) {
                    try await harness.count("SELECT count(*) FROM store_transaction") == Self.confirmations
                }
                #expect(try await harness.count("SELECT count(*) FROM receipt WHERE status <> 'verified'") == 0)
                for user in 0..<Self.users {
                    let client = harness.baker("user-\(user)")
                    try await client.refreshPurchases()
                    #expect(await client.products?.count == Self.confirmations / Self.users)
                }
            }
            try await expectAll(Set(0..<Self.confirmations), harness)
        }
    }

    /// Expects each acknowledged receipt exactly once on disk, with the server stopped.
    private func expectAll(_ numbers: Set<Int>, _ harness: StoreSuiteHarness) async throws {
        let stored = try await harness.texts("SELECT lower(hex(digest)) FROM receipt")
        #expect(stored.count == Set(stored).count)
        let missing = Set(numbers.map { Order(number: $0).digest }).subtracting(stored)
        #expect(missing.isEmpty)
    }
}
