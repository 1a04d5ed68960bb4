import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@Suite("A Baker issue's download")
struct IssueTests {
    @Test("is 303 to the gate, with a ticket for what is sold and without one for what is free")
    func redirection() async throws {
        try await withKiosk { kiosk, client async throws in
            let free = try await client.ask("/issue/com.example.daily/\(Kiosk.user)/sampler")
            #expect(free.status == .seeOther)
            #expect(free.headers[.location] == "https://editions.example.com/content/daily/sampler.hpub")
            #expect(try await client.ask("/issue?app_id=com.example.daily&name=sampler").status == .seeOther)
            try await kiosk.baker(client).buy(
                BakerClient.Transaction(
                    productID: "com.example.september",
                    receipt: kiosk.store.vouch("one", kiosk.store.purchase("com.example.september", id: "1"))))
            for method in [HTTPRequest.Method.get, .head] {
                let sold = try await client.ask(
                    "/issue/com.example.daily/\(Kiosk.user)/ed-09?environment=debug", method: method)
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

    @Test("is 404 for what is not there to be had, and 403 for what was not bought")
    func refusals() async throws {
        try await withKiosk { _, client async throws in
            let base = "/issue/com.example.daily/\(Kiosk.user)"
            for name in ["ed-08", "ed-06"] { #expect(try await client.ask("\(base)/\(name)").status == .forbidden) }
            for name in [
                "ed-99", "draft", "ed-12", "ED-08", "", "..", "ed-08%2F..", "ed-08.hpub", ":name", "ed-08%00",
                "com.example.september",
            ] {
                #expect(try await client.ask("\(base)/\(name)").status == .notFound, "\(name)")
            }
            #expect(try await client.ask("/issue/com.example.other/x/ed-08").status == .notFound)
            #expect(try await client.ask("/issue?app_id=com.example.daily&name=ed-08").status == .badRequest)
            #expect(try await client.ask("\(base)/ed-08", "a=b").status == .methodNotAllowed)
        }
    }

    @Test("of a withdrawn edition is there for those who hold it")
    func withdrawn() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.buy(
                BakerClient.Transaction(
                    productID: "ed-06", receipt: kiosk.store.vouch("one", kiosk.store.purchase("ed-06", id: "1"))))
            let answer = try await client.ask("/issue/com.example.daily/\(Kiosk.user)/ed-06")
            #expect(answer.status == .seeOther)
        }
    }

    @Test("ticket is short-lived, and finishes a download that it began")
    func expiry() async throws {
        try await withKiosk { kiosk, client async throws in
            try await kiosk.baker(client).buy(
                BakerClient.Transaction(
                    productID: "ed-08", receipt: kiosk.store.vouch("one", kiosk.store.purchase("ed-08", id: "1"))))
            let answer = try await client.ask("/issue/com.example.daily/\(Kiosk.user)/ed-08")
            let target = try #require(answer.headers[.location]).replacing(Kiosk.url, with: "")
            #expect(try await client.ask(target).status == .ok)
            #expect(try await client.ask(target.replacing("ed-08", with: "ed-10")).status == .forbidden)
            kiosk.clock.advance(by: 700)
            #expect(try await client.ask(target).status == .forbidden)
            #expect(try await client.ask(target, headers: [.range: "bytes=3-"]).status == .partialContent)
            kiosk.clock.advance(by: 3_600)
            #expect(try await client.ask(target, headers: [.range: "bytes=3-"]).status == .forbidden)
        }
    }
}
