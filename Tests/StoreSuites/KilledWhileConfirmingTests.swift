import Foundation
import Gatefold
import StoreBenches
import TestSupport
import Testing

@Suite("Killed at random points of a thousand confirmations")
struct KilledWhileConfirmingTests {
    private static let confirmations = 1_000
    private static let users = 20

    private struct Order: Sendable {
        let number: Int
        var user: String { "user-\(number % KilledWhileConfirmingTests.users)" }
        var transaction: String { "9\(String(format: "%06d", number))" }
        var receipt: String {
            Kiosk.single("com.example.daily.special-\(number)", transaction: transaction)
        }
        /// As the ledger names the receipt.
        var digest: String {
            StoreReceipt([.receipt: receipt]).digest.map { String(format: "%02x", $0) }.joined()
        }
    }

    /// Hands in the receipts, eight at a time, until they are through or nobody answers any more.
    private func confirm(_ orders: [Order], _ kiosk: Kiosk, _ acknowledged: Kept<Set<Int>>) async {
        let left = Kept(orders[...])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    while let order = left.withLock({ $0.popFirst() }) {
                        let answer = try? await kiosk.http.post(
                            "/confirmpurchase/\(Kiosk.app)/\(order.user)",
                            [("Content-Type", "application/x-www-form-urlencoded")],
                            Array("receipt_data=\(order.receipt.formEncoded)".utf8))
                        guard let answer else { return }
                        #expect(answer.status == 200)
                        acknowledged.withLock { _ = $0.insert(order.number) }
                    }
                }
            }
        }
    }

    @Test("every receipt that was answered 200 is there after the restart, exactly once")
    func killed() async throws {
        // Without a catalogue every product is an edition.
        try await Kiosk.with(change: { text in
            String(text.prefix(upTo: text.range(of: "    catalogue:")?.lowerBound ?? text.endIndex))
        }) { kiosk in
            let all = (0..<Self.confirmations).map { Order(number: $0) }
            let acknowledged = Kept<Set<Int>>([])
            var random = SeededRandom(seed: 18)
            for kill in 1...10 {
                // A receipt that only waits is the one whose loss nobody would notice.
                kiosk.apple.isReachable.withLock { $0 = !(4...6).contains(kill) }
                try await withServer(kiosk.launch) { server in
                    let open = all.filter { order in !acknowledged.withLock { $0.contains(order.number) } }
                    let target = min(Self.confirmations - 1, kill * 95 - Int.random(in: 0..<60, using: &random))
                    async let confirming: Void = confirm(open, kiosk, acknowledged)
                    try await eventually("enough is acknowledged", within: .seconds(180)) {
                        acknowledged.withLock { $0.count } >= target
                    }
                    server.send(SIGKILL)
                    #expect(await server.end() == -SIGKILL)
                    await confirming
                }
                try await expectAll(acknowledged.withLock(\.self), kiosk)
            }
            try await withServer(kiosk.launch) { _ in
                await confirm(
                    all.filter { order in !acknowledged.withLock { $0.contains(order.number) } }, kiosk, acknowledged)
                #expect(acknowledged.withLock { $0.count } == Self.confirmations)
                // What was killed between the receipt and its verdict is proven by itself.
                try await eventually("every receipt is proven", within: .seconds(150)) {
                    try await kiosk.count("SELECT count(*) FROM store_transaction") == Self.confirmations
                }
                #expect(try await kiosk.count("SELECT count(*) FROM receipt WHERE standing <> 'proven'") == 0)
                for user in 0..<Self.users {
                    let client = kiosk.baker("user-\(user)")
                    try await client.refreshPurchases()
                    #expect(await client.products?.count == Self.confirmations / Self.users)
                }
            }
            try await expectAll(Set(0..<Self.confirmations), kiosk)
        }
    }

    /// On disk, with nobody running: each acknowledged receipt once.
    private func expectAll(_ numbers: Set<Int>, _ kiosk: Kiosk) async throws {
        let kept = try await kiosk.texts("SELECT lower(hex(digest)) FROM receipt")
        #expect(kept.count == Set(kept).count)
        let missing = Set(numbers.map { Order(number: $0).digest }).subtracting(kept)
        #expect(missing.isEmpty)
    }
}
