import Foundation
import StoreBenches
import TestSupport
import Testing

@Suite("A Baker app and the whole program")
struct BakerPurchasesTests {
    @Test("buys, survives a restart of the server, lists what was bought and downloads it through the gate")
    func wholeWay() async throws {
        try await Kiosk.with { kiosk in
            let client = kiosk.baker("3F2A-1")
            try await withServer(kiosk.launch) { _ in
                try await client.showShelf()
                let june = try #require(await client.issue(Kiosk.month(6)))
                #expect(try await client.download(june).status == 403)
                let receipt = try await kiosk.unified(Kiosk.purchases)
                #expect(try await client.buy(BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)))
                #expect(await client.complaints.isEmpty)
            }
            try await withServer(kiosk.launch) { _ in
                try await client.refreshPurchases()
                #expect(await client.products == [Kiosk.month(3), Kiosk.month(4), Kiosk.month(6)])
                #expect(await client.isSubscribed == false)
                for number in [3, 4, 6, 1] {
                    let issue = try #require(await client.issue(Kiosk.month(number)))
                    let answer = try await client.download(issue)
                    #expect(answer.status == 200)
                    #expect(answer.text == "the archive of month \(number)")
                }
                let may = try #require(await client.issue(Kiosk.month(5)))
                #expect(try await client.download(may).status == 403)
            }
        }
    }

    @Test("is answered 200 while Apple is unreachable, and has its purchase once Apple is back")
    func unreachable() async throws {
        try await Kiosk.served { kiosk in
            let client = kiosk.baker("3F2A-2")
            try await client.showShelf()
            kiosk.apple.isReachable.withLock { $0 = false }
            let receipt = Kiosk.single(Kiosk.month(5), transaction: "4001")
            #expect(try await client.buy(BakerClient.Transaction(productID: Kiosk.month(5), receipt: receipt)))
            #expect(await client.products == [])
            kiosk.apple.isReachable.withLock { $0 = true }
            let isThere = try await eventually {
                try await client.refreshPurchases()
                return await client.products == [Kiosk.month(5)]
            }
            #expect(isThere)
        }
    }

    @Test("the same receipt a hundred times at once is one purchase")
    func hundredTimes() async throws {
        try await Kiosk.served { kiosk in
            let client = kiosk.baker("3F2A-3")
            let receipt = Kiosk.single(Kiosk.month(5), transaction: "5001")
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        let other = kiosk.baker("3F2A-3")
                        return try await other.buy(
                            BakerClient.Transaction(productID: Kiosk.month(5), receipt: receipt))
                    }
                }
                for try await isRecorded in group { #expect(isRecorded) }
            }
            try await client.refreshPurchases()
            #expect(await client.products == [Kiosk.month(5)])
            #expect(try await kiosk.count("SELECT count(*) FROM receipt") == 1)
            #expect(try await kiosk.count("SELECT count(*) FROM store_transaction") == 1)
            #expect(try await kiosk.count("SELECT count(*) FROM claim") == 1)
        }
    }

    @Test(
        "restored under a new user after a reinstallation, the purchases are the new user's, too; a crowd's they are not"
    )
    func restored() async throws {
        try await Kiosk.served { kiosk in
            let receipt = try await kiosk.unified(Kiosk.purchases)
            for user in ["first", "second", "third"] {
                let client = kiosk.baker(user)
                let recorded = try await client.restore([
                    BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)
                ])
                #expect(recorded == 1)
                #expect(await client.products?.count == 3)
            }
            let fourth = kiosk.baker("fourth")
            let recorded = try await fourth.restore([
                BakerClient.Transaction(productID: Kiosk.month(6), receipt: receipt)
            ])
            #expect(recorded == 0)
            #expect(await fourth.products == [])
        }
    }
}
