import Foundation
import TestSupport
import Testing

/// The purchase was paid for. An app that is asked to retry keeps it, and an app that gets any other error loses it.
@Suite("Purchase that cannot be stored", .serialized, .timeLimit(.minutes(10)))
struct PurchaseWithoutRoomTests {
    private static let user = "3F2A-9"

    private struct Order: Sendable {
        let number: Int
        /// Odd orders are credit for a Cloud Softphone account, even ones are purchases of a Baker app.
        var isCredit: Bool { !number.isMultiple(of: 2) }
        var product: String { isCredit ? "credit5" : "com.example.daily.special-\(number)" }
        var receipt: String { StoreSuiteHarness.single(product, transaction: "92\(String(format: "%05d", number))") }
    }

    private func submit(_ order: Order, _ harness: StoreSuiteHarness) async throws -> RawResponse {
        let receipt = order.receipt.formEncoded
        let (path, form) =
            order.isCredit
            ? ("/daily/iap", "receipt=\(receipt)&productCode=\(order.product)&username=1001")
            : ("/confirmpurchase/\(StoreSuiteHarness.app)/\(Self.user)", "receipt_data=\(receipt)")
        return try await harness.http.post(
            path, [("Content-Type", "application/x-www-form-urlencoded")], Array(form.utf8))
    }

    /// Expects access to exactly the products of these orders.
    private func expectGranted(_ orders: [Order], _ harness: StoreSuiteHarness) async throws {
        let client = harness.baker(Self.user)
        try await client.refreshPurchases()
        #expect(await client.products == Set(orders.filter { !$0.isCredit }.map(\.product)))
    }

    /// Runs the body with the state in the folder `disk`. Without a catalogue every product is an edition.
    private func with(_ body: (StoreSuiteHarness, _ disk: URL) async throws -> Void) async throws {
        let change = { (text: String) in
            let stored = text.prefix(upTo: text.range(of: "    catalogue:")?.lowerBound ?? text.endIndex)
            return StoreSuiteHarness.withSoftphone(String(stored))
                .replacing("path: state/state.sqlite", with: "path: disk/state.sqlite")
        }
        try await StoreSuiteHarness.with(change: change) { harness in
            try await body(harness, harness.folder.appendingPathComponent("disk"))
        }
    }

    @Test(
        "Gets 503 on a full disk and is stored once there is room",
        .enabled("SKIPPED: a full disk needs to mount a small file system, as root", SmallDisk.canBeMounted))
    func disk() async throws {
        try await with { harness, folder in
            try await SmallDisk.mounted(at: folder) { disk in
                try await expectQueueTimeout(harness, .ofDisk(disk, under: harness.launch))
            }
        }
    }

    @Test("Gets 503 at the file size limit and is stored once the file may grow")
    func file() async throws {
        try await with { harness, folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await expectQueueTimeout(harness, .ofFileSize(under: harness.launch))
        }
    }

    private func expectQueueTimeout(_ harness: StoreSuiteHarness, _ shortage: DiskQuota) async throws {
        var stored: [Order] = []
        try await withServer(shortage.launch) { server in
            for number in 0..<2 {
                let order = Order(number: number)
                let response = try await submit(order, harness)
                #expect(response.status == 200, "\(response)")
                stored.append(order)
            }
            try await shortage.begin()
            var rejected: [Order] = []
            // At least one of each kind.
            for number in 2..<400 where rejected.count < 6 || Set(rejected.map(\.isCredit)).count < 2 {
                let order = Order(number: number)
                let response = try await submit(order, harness)
                if response.status == 200 {
                    stored.append(order)
                } else {
                    // Neither stored nor rejected.
                    #expect(response.status == 503 && response["Retry-After"] != nil, "\(response)")
                    rejected.append(order)
                }
            }
            #expect(Set(rejected.map(\.isCredit)).count == 2, "there was room")
            try await expectGranted(stored, harness)
            #expect(server.isRunning)

            // There is room again: the server needs no restart and accepts the same receipts.
            try await shortage.end(server)
            for order in rejected {
                let isStored = try await eventually { try await submit(order, harness).status == 200 }
                #expect(isStored, "\(order.number)")
            }
            stored += rejected
            try await expectGranted(stored, harness)
            server.send(SIGKILL)
            _ = await server.end()
        }
        // Acknowledged purchases survive the process, each exactly once.
        let credits = stored.filter(\.isCredit).count
        try await withServer(harness.launch) { _ in
            try await expectGranted(stored, harness)
            #expect(try await harness.count("SELECT count(*) FROM receipt", in: "disk") == stored.count)
            #expect(try await harness.count("SELECT count(*) FROM delivery", in: "disk") == credits)
        }
    }
}
