import ContentGate
import Foundation
import FrontDoors
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("Download of a Baker issue")
struct IssueTests {
    @Test("redirects to the gate with 303: with a download token for a sold edition, without one for a free edition")
    func redirection() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let free = try await client.send("/issue/com.example.daily/\(StorefrontHarness.user)/sampler")
            #expect(free.status == .seeOther)
            #expect(free.headers[.location] == "https://editions.example.com/content/daily/sampler.hpub")
            #expect(try await client.send("/issue?app_id=com.example.daily&name=sampler").status == .seeOther)
            try await storefrontHarness.baker(client).buy(
                BakerClient.Transaction(
                    productID: "com.example.september",
                    receipt: storefrontHarness.store.accept(
                        "one", storefrontHarness.store.purchase("com.example.september", id: "1"))))
            for method in [HTTPRequest.Method.get, .head] {
                let sold = try await client.send(
                    "/issue/com.example.daily/\(StorefrontHarness.user)/ed-09?environment=debug", method: method)
                let location = try #require(sold.headers[.location])
                #expect(sold.status == .seeOther && sold.text.isEmpty)
                #expect(
                    location.wholeMatch(
                        of:
                            /https:\/\/editions\.example\.com\/content\/daily\/ed-09\/whole%20issue\.hpub\?ticket=[A-Za-z0-9_\-]+\.[0-9a-f]{40}/
                    )
                        != nil)
                #expect(sold.headers[.cacheControl] == NoCacheHeaders.cacheControl)
            }
        }
    }

    @Test("yields 404 for an unavailable edition and 403 for one that was not bought")
    func rejections() async throws {
        try await withStorefrontHarness { _, client async throws in
            let base = "/issue/com.example.daily/\(StorefrontHarness.user)"
            for name in ["ed-08", "ed-06"] { #expect(try await client.send("\(base)/\(name)").status == .forbidden) }
            for name in [
                "ed-99", "draft", "ed-12", "ED-08", "", "..", "ed-08%2F..", "ed-08.hpub", ":name", "ed-08%00",
                "com.example.september",
            ] {
                #expect(try await client.send("\(base)/\(name)").status == .notFound, "\(name)")
            }
            #expect(try await client.send("/issue/com.example.other/x/ed-08").status == .notFound)
            #expect(try await client.send("/issue?app_id=com.example.daily&name=ed-08").status == .badRequest)
            #expect(try await client.send("\(base)/ed-08", "a=b").status == .methodNotAllowed)
        }
    }

    @Test("serves a withdrawn edition to its buyers")
    func withdrawn() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-06",
                    receipt: storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-06", id: "1"))))
            let response = try await client.send("/issue/com.example.daily/\(StorefrontHarness.user)/ed-06")
            #expect(response.status == .seeOther)
        }
    }

    @Test("uses a short-lived download token that can still finish a download begun in time")
    func expiry() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            try await storefrontHarness.baker(client).buy(
                BakerClient.Transaction(
                    productID: "ed-08",
                    receipt: storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))))
            let response = try await client.send("/issue/com.example.daily/\(StorefrontHarness.user)/ed-08")
            let target = try #require(response.headers[.location]).replacing(StorefrontHarness.url, with: "")
            #expect(try await client.send(target).status == .ok)
            #expect(try await client.send(target.replacing("ed-08", with: "ed-10")).status == .forbidden)
            storefrontHarness.clock.advance(by: 700)
            #expect(try await client.send(target).status == .forbidden)
            #expect(try await client.send(target, headers: [.range: "bytes=3-"]).status == .partialContent)
            storefrontHarness.clock.advance(by: 3_600)
            #expect(try await client.send(target, headers: [.range: "bytes=3-"]).status == .forbidden)
        }
    }
}
