import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import TestSupport
import Testing

@Suite("Basispress front door")
struct BasispressTests {
    @Test("serves the document byte for byte as in the guide, without download links")
    func document() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            storefrontHarness.catalogue.replace(
                with: Catalogue(StorefrontHarness.editions.filter { $0.id.rawValue == "ed-09" }))
            let response = try await client.send("/api/protocol.json?id=com.example.daily")
            #expect(
                response.text == """
                    {"subscriptions":[{"name":"Monthly","product_identifier":"com.example.monthly"},\
                    {"name":"Free subscription","product_identifier":"com.example.free"}],\
                    "issues":[{"name":"September","product_identifier":"com.example.september",\
                    "cover":"https://editions.example.com/content/daily/covers/ed%2009.jpg",\
                    "created_at":"2026-09-01T06:30:00Z",\
                    "data":["https://editions.example.com/content/daily/previews/09-1.jpg?v=3"],\
                    "contents":[{"pages":"4–9","text":"Sport"}]}]}
                    """)
            let tag = try #require(response.headers[.eTag])
            #expect(response.headers[.cacheControl] == "public, max-age=60")
            let again = try await client.send(
                "/api/protocol.json?id=com.example.daily", headers: [.ifNoneMatch: tag])
            #expect(again.status == .notModified)
        }
    }

    @Test("lists the editions on sale and rejects unknown apps")
    func issues() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            #expect(try await app.issues().map(\.product) == ["ed-10", "com.example.september", "ed-08", "sampler"])
            #expect(try await app.subscriptions() == ["com.example.monthly", "com.example.free"])
            for (target, status) in [
                ("/api/protocol.json", HTTPResponse.Status.badRequest), ("/api/protocol.json?id=", .badRequest),
                ("/api/protocol.json?id=x", .notFound), ("/api/receipt.json?id=x&data=QUJD", .notFound),
            ] {
                let response = try await client.send(target)
                #expect(response.status == status && (try? JSONParser.parse(Array(response.text.utf8))) != nil)
                #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            }
        }
    }

    @Test(
        "opens the issue of a receipt sent in any request style", arguments: BasispressClient.Style.allCases
    )
    func singleIssue(style: BasispressClient.Style) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let receipt = storefrontHarness.store.accept(
                "one", storefrontHarness.store.purchase("com.example.september", id: "1"))
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
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            for product in ["ed-10", "com.example.september", "com.example.monthly", "ed-99", "ed-12", "draft", "../x"]
            {
                #expect(try await app.offer(receipt, for: product) == nil, "\(product)")
            }
        }
    }

    @Test("opens the issue bought last, or the requested one, if the receipt holds several")
    func severalIssues() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let receipt = storefrontHarness.store.accept(
                "three", storefrontHarness.store.purchase("ed-10", id: "1", at: "2026-10-10"),
                storefrontHarness.store.purchase("ed-08", id: "2", at: "2026-10-20"),
                storefrontHarness.store.purchase(
                    "com.example.september", id: "3", at: "2026-10-30", revoked: "2026-10-31"),
                storefrontHarness.store.purchase("com.example.monthly", id: "4", at: "2026-10-31", until: "2026-11-30"))
            #expect(try await app.offer(receipt)?.contains("/ed-08.hpub?") == true)
            #expect(try await app.offer(receipt, for: "ed-10")?.contains("/ed-10.hpub?") == true)
            #expect(try await app.offer(receipt, for: "com.example.september") == nil)
        }
    }

    @Test("opens the editions published while the subscription ran")
    func subscription() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let receipt = storefrontHarness.store.accept(
                "monthly",
                storefrontHarness.store.purchase("com.example.monthly", id: "1", at: "2026-08-15", until: "2026-10-15"))
            #expect(try await app.offer(receipt, for: "ed-10") != nil)
            #expect(try await app.offer(receipt, for: "com.example.september") != nil)
            #expect(try await app.offer(receipt, for: "ed-08") == nil)
            #expect(try await app.offer(receipt) == nil)
        }
    }

    @Test("opens a free edition without a receipt")
    func free() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.basispress(client)
            let url = try #require(try await app.offer("", for: "sampler"))
            #expect(url == "https://editions.example.com/content/daily/sampler.hpub")
            #expect(try await app.download(url).status == 200)
        }
    }

    @Test("responds `failed` with status 200 to an invalid receipt", arguments: ReceiptRejection.Reason.allCases)
    func failed(reason: ReceiptRejection.Reason) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.decide("bad", .rejected(ReceiptRejection(reason)))
            #expect(try await storefrontHarness.basispress(client).offer(receipt) == nil)
            for data in ["", "data=", "data=%00", "data=2000000123456789", "data=A", "data=x.y.z"] {
                let response = try await client.send("/api/receipt.json?id=com.example.daily&\(data)")
                #expect(response.status == .ok && response.text == #"{"status":"failed"}"#, "\(data)")
                #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            }
        }
    }

    @Test("Pitfall 9: yields 503, not `failed`, while the store is unreachable")
    func outage() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            storefrontHarness.store.isReachable = false
            await #expect(throws: BasispressClient.SimulatedError.status(503)) {
                try await storefrontHarness.basispress(client).offer(receipt)
            }
        }
    }

    @Test("rejects other methods")
    func methods() async throws {
        try await withStorefrontHarness { _, client async throws in
            for (path, allow) in [
                ("/api/protocol.json", "GET, HEAD, OPTIONS"), ("/api/receipt.json", "GET, HEAD, POST, OPTIONS"),
                ("/push_tokens.json", "POST, OPTIONS"),
            ] {
                let rejected = try await client.send(path, method: .delete)
                #expect(rejected.status == .methodNotAllowed && rejected.headers[.allow] == allow)
                #expect(try await client.send(path, method: .options).status == .noContent)
            }
        }
    }
}
