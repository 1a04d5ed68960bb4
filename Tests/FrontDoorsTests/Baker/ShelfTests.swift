import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import TestSupport
import Testing

@Suite("A Baker shelf")
struct ShelfTests {
    @Test("names every edition on offer as the client reads it, newest first, and no draft, later or withdrawn one")
    func entries() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.refreshShelf()
            let issues = await app.issues
            #expect(issues.map(\.name) == ["ed-10", "ed-09", "ed-08", "sampler"])
            #expect(issues.map(\.productID) == ["ed-10", "com.example.september", "ed-08", nil])
            #expect(issues[1].date == CivilTime.date("2026-09-01T06:30:00Z"))
            #expect(issues[1].categories == ["News", "Été"])
            #expect(issues[1].cover == "https://editions.example.com/content/daily/covers/ed%2009.jpg")
            let cover = issues[1].cover.replacing(Kiosk.url, with: "")
            #expect(try await client.ask(cover + "?v=3").text == "archive of covers/ed 09.jpg")
            #expect(issues[1].url == "https://editions.example.com/issue/:app_id/:user_id/ed-09")
        }
    }

    @Test("is byte for byte what the guide shows")
    func bytes() async throws {
        try await withKiosk { kiosk, client async throws in
            let entry = """
                {"name":"ed-09","title":"September","info":"All about \\"September\\"","date":"2026-09-01 06:30:00",\
                "cover":"https://editions.example.com/content/daily/covers/ed%2009.jpg",\
                "url":"https://editions.example.com/issue/:app_id/:user_id/ed-09",\
                "product_id":"com.example.september","categories":["News","Été"]}
                """
            kiosk.catalogue.replace(with: Catalogue(Kiosk.editions.filter { $0.id.rawValue == "ed-09" }))
            let answer = try await client.ask("/issues/com.example.daily/x")
            #expect(answer.text == "[\(entry)]")
            #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
            kiosk.catalogue.replace(with: Catalogue())
            #expect(try await client.ask("/issues/com.example.daily/x").text == "[]")
        }
    }

    @Test("has no null in it, whatever an edition lacks")
    func noNull() async throws {
        try await withKiosk { _, client async throws in
            let value = try JSONParser.parse(Array(try await client.ask("/issues?app_id=com.example.daily").text.utf8))
            for member in (value.items ?? []).flatMap({ $0.members ?? [] }) { #expect(member.value != .null) }
        }
    }

    @Test("may be cached: it has validators, and 304 comes to those alone who ask for it")
    func caching() async throws {
        try await withKiosk { kiosk, client async throws in
            let target = "/issues/com.example.daily/\(Kiosk.user)?environment=production&devicetype=tablet"
            let first = try await client.ask(target)
            let tag = try #require(first.headers[.eTag])
            #expect(first.status == .ok)
            let date = try #require(first.headers[.lastModified])
            #expect(date == HTTPDate(seconds: Int64(kiosk.clock.now.timeIntervalSince1970)).description)
            #expect(first.headers[.cacheControl] == "public, max-age=60")
            let again = try await client.ask(target)
            #expect(again.status == .ok && again.headers[.eTag] == tag && again.text == first.text)
            #expect(try await client.ask(target, headers: [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await client.ask(target, headers: [.ifNoneMatch: "\"other\""]).status == .ok)
            let head = try await client.ask(target, method: .head)
            #expect(head.status == .ok && head.headers[.eTag] == tag && head.text.isEmpty)
            #expect(try await client.ask(target, headers: [.ifModifiedSince: date]).status == .notModified)
            // Taken off the shelf without a word on when: who knows the date alone must hear of it.
            kiosk.catalogue.replace(
                with: Catalogue(kiosk.catalogue.value.editions.filter { $0.id.rawValue != "ed-09" }))
            #expect(try await client.ask(target, headers: [.ifModifiedSince: date]).status == .ok)
        }
    }

    @Test("shows an edition from the second it comes out, and what its source says of it")
    func changes() async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.refreshShelf()
            #expect(await app.issue("ed-12") == nil)
            kiosk.clock.set(CivilTime.date("2026-12-01")!)
            try await app.refreshShelf()
            #expect(await app.issue("ed-12") != nil)
            kiosk.catalogue.replace(
                with: Catalogue([Edition(id: EditionID("ed-1")!, title: "1", published: .distantPast)]))
            try await app.refreshShelf()
            #expect(await app.issues.map(\.name) == ["ed-1"])
            kiosk.clock.set(CivilTime.date("2026-07-15")!)
            kiosk.catalogue.replace(with: Catalogue(Kiosk.editions))
            try await app.refreshShelf()
            #expect(await app.issues.map(\.name) == ["sampler"])
        }
    }

    @Test(
        "an error is never saved as a shelf: the last one stays on the device, and so do its downloads",
        arguments: [
            "/issues", "/issues/", "/issues/com.example.other/x", "/issues/COM.EXAMPLE.DAILY/x", "/issues?app_id=x",
            "/issues/:app_id/x", "/issues/com.example.daily/x/y", "/issues/com.example.daily%00/x",
        ])
    func errors(target: String) async throws {
        try await withKiosk { kiosk, client async throws in
            let app = kiosk.baker(client)
            try await app.showShelf()
            #expect(try await app.download(named: "sampler").status == 200)
            let saved = await app.savedShelf
            // The same device asks elsewhere, and gets what somebody else would.
            await app.move(shelf: Kiosk.url + target, nameless: true)
            try await app.refreshShelf()
            #expect(await app.savedShelf == saved)
            #expect(await app.issues.count == 4)
            #expect(await app.library == ["sampler"])
            let answer = try await client.ask(target)
            #expect(answer.status == .badRequest || answer.status == .notFound)
            #expect(answer.headers[.cacheControl] == NoCacheHeaders.cacheControl)
        }
    }

    @Test("is asked for by GET and HEAD only")
    func methods() async throws {
        try await withKiosk { _, client async throws in
            #expect(try await client.ask("/issues/com.example.daily/x", "a=b").status == .methodNotAllowed)
        }
    }
}
