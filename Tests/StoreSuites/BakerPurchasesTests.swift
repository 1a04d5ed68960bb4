import Foundation
import StoreFixtures
import TestSupport
import Testing

@Suite("Baker app with the whole program")
struct BakerPurchasesTests {
    @Test("Buys, survives a server restart, lists its purchases and downloads them through the gate")
    func endToEnd() async throws {
        try await StoreSuiteHarness.with { harness in
            let client = harness.baker("3F2A-1")
            try await withServer(harness.launch) { _ in
                try await client.showCatalogue()
                let june = try #require(await client.issue(StoreSuiteHarness.month(6)))
                #expect(try await client.download(june).status == 403)
                let receipt = try await harness.unified(StoreSuiteHarness.purchases)
                #expect(
                    try await client.buy(
                        BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)))
                #expect(await client.complaints.isEmpty)
            }
            try await withServer(harness.launch) { _ in
                try await client.refreshPurchases()
                #expect(
                    await client.products == [
                        StoreSuiteHarness.month(3), StoreSuiteHarness.month(4), StoreSuiteHarness.month(6),
                    ])
                #expect(await client.isSubscribed == false)
                for number in [3, 4, 6, 1] {
                    let issue = try #require(await client.issue(StoreSuiteHarness.month(number)))
                    let response = try await client.download(issue)
                    #expect(response.status == 200)
                    #expect(response.text == "the archive of month \(number)")
                }
                let may = try #require(await client.issue(StoreSuiteHarness.month(5)))
                #expect(try await client.download(may).status == 403)
            }
        }
    }

    @Test("A purchase gets 200 while Apple is unreachable and is confirmed after Apple returns")
    func unreachable() async throws {
        try await StoreSuiteHarness.served { harness in
            let client = harness.baker("3F2A-2")
            try await client.showCatalogue()
            harness.apple.isReachable.withLock { $0 = false }
            let receipt = StoreSuiteHarness.single(StoreSuiteHarness.month(5), transaction: "4001")
            #expect(
                try await client.buy(BakerClient.Transaction(productID: StoreSuiteHarness.month(5), receipt: receipt)))
            #expect(await client.products == [])
            harness.apple.isReachable.withLock { $0 = true }
            let isThere = try await eventually {
                try await client.refreshPurchases()
                return await client.products == [StoreSuiteHarness.month(5)]
            }
            #expect(isThere)
        }
    }

    @Test("A receipt that is submitted 100 times concurrently is one purchase")
    func hundredTimes() async throws {
        try await StoreSuiteHarness.served { harness in
            let client = harness.baker("3F2A-3")
            let receipt = StoreSuiteHarness.single(StoreSuiteHarness.month(5), transaction: "5001")
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let other = harness.baker("3F2A-3")
                        return try await other.buy(
                            BakerClient.Transaction(productID: StoreSuiteHarness.month(5), receipt: receipt))
                    }
                }
                for try await isRecorded in group { #expect(isRecorded) }
            }
            try await client.refreshPurchases()
            #expect(await client.products == [StoreSuiteHarness.month(5)])
            #expect(try await harness.count("SELECT count(*) FROM receipt") == 1)
            #expect(try await harness.count("SELECT count(*) FROM store_transaction") == 1)
            #expect(try await harness.count("SELECT count(*) FROM claim") == 1)
        }
    }

    @Test(
        "Restored purchases belong to the new user as well, but not to a fourth user"
    )
    func restored() async throws {
        try await StoreSuiteHarness.served { harness in
            let receipt = try await harness.unified(StoreSuiteHarness.purchases)
            for user in ["first", "second", "third"] {
                let client = harness.baker(user)
                let recorded = try await client.restore([
                    BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)
                ])
                #expect(recorded == 1)
                #expect(await client.products?.count == 3)
            }
            let fourth = harness.baker("fourth")
            let recorded = try await fourth.restore([
                BakerClient.Transaction(productID: StoreSuiteHarness.month(6), receipt: receipt)
            ])
            #expect(recorded == 0)
            #expect(await fourth.products == [])
        }
    }
}
