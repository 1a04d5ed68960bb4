import Commerce
import Foundation
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@testable import Server

@Suite("Purchases in the timeline") struct RecordedPurchaseTests {
    private static let key = PseudonymKey(Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
    private let daily = PublicationID("daily")!

    private func with(_ test: (SQLStateStore, TimelineRecorder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let clock = ManualClock()
            let store = try SQLStateStore(path: folder.path + "/state.sqlite", clock: clock.wall)
            try await test(store, TimelineRecorder(store: store, pseudonymKey: Self.key, clock: clock.wall))
        }
    }

    private func owner(_ number: Int) -> PurchaseOwner {
        Self.key.owner(installation: "installation \(number)", of: "com.example.app")
    }

    @Test("A rejected receipt is an event without the product that the app sent, an implausible text is none")
    func rejected() async throws {
        try await with { store, recorder in
            recorder.record(
                .rejected(to: owner(1), product: "planted.password", ReceiptRejection(.wrongProduct)), of: daily)
            recorder.record(.rejected(to: owner(2), product: nil, ReceiptRejection(.malformed)), of: daily)
            await recorder.flush()
            let entries = try await store.entries(of: .owner(owner(1)), before: nil, limit: 9).map(\.entry)
            #expect(entries.map(\.event.reason) == [RefusalReason.receiptOfOtherProduct.rawValue], "\(entries)")
            #expect(entries.allSatisfy { $0.event.detail == nil && $0.event.edition == nil })
            #expect(entries.map(\.category) == [.unverified])
            #expect(try await store.entries(of: .owner(owner(2)), before: nil, limit: 9).isEmpty)
        }
    }

    @Test("Rejected receipts of any number of invented installations leave a few events")
    func invented() async throws {
        try await with { store, recorder in
            for number in 0..<2_000 {
                recorder.record(
                    .rejected(to: owner(number), product: nil, ReceiptRejection(.forged)), of: daily)
                if number % 100 == 0 { await recorder.flush() }
            }
            await recorder.flush()
            var found = 0
            for number in 0..<2_000 {
                found += try await store.entries(of: .owner(owner(number)), before: nil, limit: 9).count
            }
            #expect((1...20).contains(found), "\(found)")
        }
    }

    @Test("Receipts that are verified again, with all their renewals, are one event per product")
    func verified() async throws {
        try await with { store, recorder in
            let owner = owner(1)
            let transactions = (0..<30).map { number in
                StoreTransaction(
                    store: StoreName("app-store")!, id: "\(number)", original: "0", product: "com.example.monthly",
                    purchased: Date(timeIntervalSince1970: Double(number)), environment: .production,
                    reported: Date(timeIntervalSince1970: 100))
            }
            for _ in 0..<5 {
                recorder.record(.verified(by: owner, transactions), of: daily)
                await recorder.flush()
            }
            let entries = try await store.entries(of: .owner(owner), before: nil, limit: 99).map(\.entry)
            #expect(entries.map(\.event.kind) == [.purchaseRecorded])
            #expect(entries.first?.event.detail == "app-store com.example.monthly")
        }
    }
}
