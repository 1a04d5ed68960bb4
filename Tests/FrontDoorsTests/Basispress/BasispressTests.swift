import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import TestSupport
import Testing

@Suite("Basispress")
struct BasispressTests {
    @Test("shows what there is, byte for byte as the guide has it, and no link to download it")
    func document() async throws {
        try await withKiosk { kiosk, client async throws in
            kiosk.catalogue.replace(with: Catalogue(Kiosk.editions.filter { $0.id.rawValue == "ed-09" }))
            let answer = try await client.ask("/api/protocol.json?id=com.example.daily")
            #expect(
                answer.text == """
                    {"subscriptions":[{"name":"Monthly","product_identifier":"com.example.monthly"},\
                    {"name":"Free subscription","product_identifier":"com.example.free"}],\
                    "issues":[{"name":"September","product_identifier":"com.example.september",\
                    "cover":"https://editions.example.com/content/daily/covers/ed%2009.jpg",\
                    "created_at":"2026-09-01T06:30:00Z",\
                    "data":["https://editions.example.com/content/daily/previews/09-1.jpg?v=3"],\
                    "contents":[{"pages":"4–9","text":"Sport"}]}]}
                    """)
            let tag = try #require(answer.headers[.eTag])
            #expect(answer.headers[.cacheControl] == "public, max-age=60")
            let again = try await client.ask(
                "/api/protocol.json?id=com.example.daily", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
        }
    }

    @Test("lists the editions on offer, and tells unknown apps so")
    func issues() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            #expect(try await app.issues().map(\.product) == ["ed-10", "com.example.september", "ed-08", "sampler"])
            #expect(try await app.subscriptions() == ["com.example.monthly", "com.example.free"])
            for (target, status) in [
                ("/api/protocol.json", HTTPResponse.Status.badRequest), ("/api/protocol.json?id=", .badRequest),
                ("/api/protocol.json?id=x", .notFound), ("/api/receipt.json?id=x&data=QUJD", .notFound),
            ] {
                let answer = try await client.ask(target)
                #expect(answer.status == status && (try? JSONParser.parse(Array(answer.text.utf8))) != nil)
                #expect(answer.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            }
        }
    }

    @Test(
        "opens the issue that a receipt is for, however the receipt travels", arguments: BasispressClient.Style.allCases
    )
    func singleIssue(style: BasispressClient.Style) async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("com.example.september", id: "1"))
            for product in [nil, "com.example.september"] {
                let url = try #require(try await app.offer(receipt, for: product, style))
                #expect(url.hasPrefix("https://editions.example.com/content/daily/ed-09/whole%20issue.hpub?ticket="))
                let archive = try await app.download(url)
                #expect(archive.status == 200 && archive.text == "archive of ed-09/whole issue.hpub")
                #expect(try await app.download(url, [("Range", "bytes=8-")]).status == 206)
            }
        }
    }

    @Test("opens no other issue with the receipt of one")
    func otherIssue() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            for product in ["ed-10", "com.example.september", "com.example.monthly", "ed-99", "ed-12", "draft", "../x"]
            {
                #expect(try await app.offer(receipt, for: product) == nil, "\(product)")
            }
        }
    }

    @Test("of several issues in a receipt opens the one that was bought last, or the one asked for")
    func severalIssues() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let receipt = kiosk.store.vouch(
                "three", kiosk.store.purchase("ed-10", id: "1", at: "2026-10-10"),
                kiosk.store.purchase("ed-08", id: "2", at: "2026-10-20"),
                kiosk.store.purchase("com.example.september", id: "3", at: "2026-10-30", revoked: "2026-10-31"),
                kiosk.store.purchase("com.example.monthly", id: "4", at: "2026-10-31", until: "2026-11-30"))
            #expect(try await app.offer(receipt)?.contains("/ed-08.hpub?") == true)
            #expect(try await app.offer(receipt, for: "ed-10")?.contains("/ed-10.hpub?") == true)
            #expect(try await app.offer(receipt, for: "com.example.september") == nil)
        }
    }

    @Test("opens with a subscription what was published while it ran")
    func subscription() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let receipt = kiosk.store.vouch(
                "monthly", kiosk.store.purchase("com.example.monthly", id: "1", at: "2026-08-15", until: "2026-10-15"))
            #expect(try await app.offer(receipt, for: "ed-10") != nil)
            #expect(try await app.offer(receipt, for: "com.example.september") != nil)
            #expect(try await app.offer(receipt, for: "ed-08") == nil)
            #expect(try await app.offer(receipt) == nil)
        }
    }

    @Test("gives a free edition to everybody")
    func free() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.basispress(client)
            let url = try #require(try await app.offer("", for: "sampler"))
            #expect(url == "https://editions.example.com/content/daily/sampler.hpub")
            #expect(try await app.download(url).status == 200)
        }
    }

    @Test("says `failed` with 200 of what is no good receipt", arguments: ReceiptRefusal.Reason.allCases)
    func failed(reason: ReceiptRefusal.Reason) async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.decide("bad", .refused(ReceiptRefusal(reason)))
            #expect(try await kiosk.basispress(client).offer(receipt) == nil)
            for data in ["", "data=", "data=%00", "data=2000000123456789", "data=A", "data=x.y.z"] {
                let answer = try await client.ask("/api/receipt.json?id=com.example.daily&\(data)")
                #expect(answer.status == .ok && answer.text == #"{"status":"failed"}"#, "\(data)")
                #expect(answer.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            }
        }
    }

    @Test("says neither while the store can not be asked (pitfall 9)")
    func outage() async throws {
        try await withKiosk { kiosk, client async throws in
            let receipt = kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))
            kiosk.store.isReachable = false
            await #expect(throws: BasispressClient.Broken.status(503)) {
                try await kiosk.basispress(client).offer(receipt)
            }
        }
    }

    @Test("has no other methods")
    func methods() async throws {
        try await withKiosk { _, client async throws in
            for (path, allow) in [
                ("/api/protocol.json", "GET, HEAD, OPTIONS"), ("/api/receipt.json", "GET, HEAD, POST, OPTIONS"),
                ("/push_tokens.json", "POST, OPTIONS"),
            ] {
                let refused = try await client.ask(path, method: .delete)
                #expect(refused.status == .methodNotAllowed && refused.headers[.allow] == allow)
                #expect(try await client.ask(path, method: .options).status == .noContent)
            }
        }
    }
}
