import Foundation
import TestSupport
import Testing

/// It was paid for: an app that is told to come again later has it still, and one that is told anything else has not.
@Suite("A purchase that can not be written down", .serialized, .timeLimit(.minutes(10)))
struct PurchaseWithoutRoomTests {
    private static let user = "3F2A-9"

    private struct Order: Sendable {
        let number: Int
        /// Every other one is credit for a Cloud Softphone account, the others are a Baker app's.
        var isCredit: Bool { !number.isMultiple(of: 2) }
        var product: String { isCredit ? "credit5" : "com.example.daily.special-\(number)" }
        var receipt: String { Kiosk.single(product, transaction: "92\(String(format: "%05d", number))") }
    }

    private func handIn(_ order: Order, _ kiosk: Kiosk) async throws -> RawResponse {
        let receipt = order.receipt.formEncoded
        let (path, form) =
            order.isCredit
            ? ("/daily/iap", "receipt=\(receipt)&productCode=\(order.product)&username=1001")
            : ("/confirmpurchase/\(Kiosk.app)/\(Self.user)", "receipt_data=\(receipt)")
        return try await kiosk.http.post(
            path, [("Content-Type", "application/x-www-form-urlencoded")], Array(form.utf8))
    }

    /// What these bought opens, and nothing else.
    private func expectOpen(_ orders: [Order], _ kiosk: Kiosk) async throws {
        let client = kiosk.baker(Self.user)
        try await client.refreshPurchases()
        #expect(await client.products == Set(orders.filter { !$0.isCredit }.map(\.product)))
    }

    /// The state is in the folder `disk`. Without a catalogue every product is an edition.
    private func with(_ body: (Kiosk, _ disk: URL) async throws -> Void) async throws {
        let change = { (text: String) in
            let kept = text.prefix(upTo: text.range(of: "    catalogue:")?.lowerBound ?? text.endIndex)
            return Kiosk.withSoftphone(String(kept))
                .replacing("path: state/state.sqlite", with: "path: disk/state.sqlite")
        }
        try await Kiosk.with(change: change) { kiosk in
            try await body(kiosk, kiosk.folder.appendingPathComponent("disk"))
        }
    }

    @Test(
        "is to come again on a full disk, and is there for good once there is room",
        .enabled("SKIPPED: a full disk needs to mount a small file system, as root", SmallDisk.canBeMounted))
    func disk() async throws {
        try await with { kiosk, folder in
            try await SmallDisk.mounted(at: folder) { disk in
                try await expectPatience(kiosk, .ofDisk(disk, under: kiosk.launch))
            }
        }
    }

    @Test("is to come again where a file may not grow, and is there for good once it may")
    func file() async throws {
        try await with { kiosk, folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await expectPatience(kiosk, .ofFileSize(under: kiosk.launch))
        }
    }

    private func expectPatience(_ kiosk: Kiosk, _ shortage: Shortage) async throws {
        var stored: [Order] = []
        try await withServer(shortage.launch) { server in
            for number in 0..<2 {
                let order = Order(number: number)
                let answer = try await handIn(order, kiosk)
                #expect(answer.status == 200, "\(answer)")
                stored.append(order)
            }
            try await shortage.begin()
            var refused: [Order] = []
            // Some of each kind.
            for number in 2..<400 where refused.count < 6 || Set(refused.map(\.isCredit)).count < 2 {
                let order = Order(number: number)
                let answer = try await handIn(order, kiosk)
                if answer.status == 200 {
                    stored.append(order)
                } else {
                    // Neither stored nor refused.
                    #expect(answer.status == 503 && answer["Retry-After"] != nil, "\(answer)")
                    refused.append(order)
                }
            }
            #expect(Set(refused.map(\.isCredit)).count == 2, "there was room")
            try await expectOpen(stored, kiosk)
            #expect(server.isRunning)

            // There is room again: nothing needs to be started anew, and the same receipts are taken.
            try await shortage.end(server)
            for order in refused {
                let isStored = try await eventually { try await handIn(order, kiosk).status == 200 }
                #expect(isStored, "\(order.number)")
            }
            stored += refused
            try await expectOpen(stored, kiosk)
            server.send(SIGKILL)
            _ = await server.end()
        }
        // What was acknowledged outlives the process, each once.
        let credits = stored.filter(\.isCredit).count
        try await withServer(kiosk.launch) { _ in
            try await expectOpen(stored, kiosk)
            #expect(try await kiosk.count("SELECT count(*) FROM receipt", in: "disk") == stored.count)
            #expect(try await kiosk.count("SELECT count(*) FROM delivery", in: "disk") == credits)
        }
    }
}
