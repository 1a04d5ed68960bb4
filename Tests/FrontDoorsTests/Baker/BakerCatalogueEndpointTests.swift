import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import HummingbirdTesting
import JSON
import Primitives
import TestSupport
import Testing

@Suite("Baker shelf")
struct BakerCatalogueEndpointTests {
    @Test("lists the editions on sale, newest first, without drafts and without future or withdrawn editions")
    func entries() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.refreshCatalogue()
            let issues = await app.issues
            #expect(issues.map(\.name) == ["ed-10", "ed-09", "ed-08", "sampler"])
            #expect(issues.map(\.productID) == ["ed-10", "com.example.september", "ed-08", nil])
            #expect(issues[1].date == CivilTime.date("2026-09-01T06:30:00Z"))
            #expect(issues[1].categories == ["News", "Été"])
            #expect(issues[1].cover == "https://editions.example.com/content/daily/covers/ed%2009.jpg")
            let cover = issues[1].cover.replacing(StorefrontHarness.url, with: "")
            #expect(try await client.send(cover + "?v=3").text == "archive of covers/ed 09.jpg")
            #expect(issues[1].url == "https://editions.example.com/issue/:app_id/:user_id/ed-09")
        }
    }

    @Test("matches the guide byte for byte")
    func bytes() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let entry = """
                {"name":"ed-09","title":"September","info":"All about \\"September\\"","date":"2026-09-01 06:30:00",\
                "cover":"https://editions.example.com/content/daily/covers/ed%2009.jpg",\
                "url":"https://editions.example.com/issue/:app_id/:user_id/ed-09",\
                "product_id":"com.example.september","categories":["News","Été"]}
                """
            storefrontHarness.catalogue.replace(
                with: Catalogue(StorefrontHarness.editions.filter { $0.id.rawValue == "ed-09" }))
            let response = try await client.send("/issues/com.example.daily/x")
            #expect(response.text == "[\(entry)]")
            #expect(response.headers[.contentType] == "application/json; charset=utf-8")
            storefrontHarness.catalogue.replace(with: Catalogue())
            #expect(try await client.send("/issues/com.example.daily/x").text == "[]")
        }
    }

    @Test("contains no null, even where an edition lacks a field")
    func noNull() async throws {
        try await withStorefrontHarness { _, client async throws in
            let value = try JSONParser.parse(Array(try await client.send("/issues?app_id=com.example.daily").text.utf8))
            for member in (value.items ?? []).flatMap({ $0.members ?? [] }) { #expect(member.value != .null) }
        }
    }

    @Test("is cacheable: it has validators, and only conditional requests get 304")
    func caching() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let target = "/issues/com.example.daily/\(StorefrontHarness.user)?environment=production&devicetype=tablet"
            let first = try await client.send(target)
            let tag = try #require(first.headers[.eTag])
            #expect(first.status == .ok)
            let date = try #require(first.headers[.lastModified])
            #expect(date == HTTPDate(seconds: Int64(storefrontHarness.clock.now.timeIntervalSince1970)).description)
            #expect(first.headers[.cacheControl] == "public, max-age=60")
            let again = try await client.send(target)
            #expect(again.status == .ok && again.headers[.eTag] == tag && again.text == first.text)
            #expect(try await client.send(target, headers: [.ifNoneMatch: tag]).status == .notModified)
            #expect(try await client.send(target, headers: [.ifNoneMatch: "\"other\""]).status == .ok)
            let head = try await client.send(target, method: .head)
            #expect(head.status == .ok && head.headers[.eTag] == tag && head.text.isEmpty)
            #expect(try await client.send(target, headers: [.ifModifiedSince: date]).status == .notModified)
            // Removes the edition without a date. A client that only knows the date must still receive the change.
            storefrontHarness.catalogue.replace(
                with: Catalogue(storefrontHarness.catalogue.value.editions.filter { $0.id.rawValue != "ed-09" }))
            #expect(try await client.send(target, headers: [.ifModifiedSince: date]).status == .ok)
        }
    }

    @Test("shows an edition from its publication date on, and follows changes of the catalogue")
    func changes() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.refreshCatalogue()
            #expect(await app.issue("ed-12") == nil)
            storefrontHarness.clock.set(CivilTime.date("2026-12-01")!)
            try await app.refreshCatalogue()
            #expect(await app.issue("ed-12") != nil)
            storefrontHarness.catalogue.replace(
                with: Catalogue([Edition(id: EditionID("ed-1")!, title: "1", published: .distantPast)]))
            try await app.refreshCatalogue()
            #expect(await app.issues.map(\.name) == ["ed-1"])
            storefrontHarness.clock.set(CivilTime.date("2026-07-15")!)
            storefrontHarness.catalogue.replace(with: Catalogue(StorefrontHarness.editions))
            try await app.refreshCatalogue()
            #expect(await app.issues.map(\.name) == ["sampler"])
        }
    }

    @Test(
        "An error response never replaces the shelf saved on the device or its downloads",
        arguments: [
            "/issues", "/issues/", "/issues/com.example.other/x", "/issues/COM.EXAMPLE.DAILY/x", "/issues?app_id=x",
            "/issues/:app_id/x", "/issues/com.example.daily/x/y", "/issues/com.example.daily%00/x",
        ])
    func errors(target: String) async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let app = storefrontHarness.baker(client)
            try await app.showCatalogue()
            #expect(try await app.download(named: "sampler").status == 200)
            let saved = await app.savedCatalogue
            // The same device requests another shelf URL without a user id.
            await app.move(shelf: StorefrontHarness.url + target, nameless: true)
            try await app.refreshCatalogue()
            #expect(await app.savedCatalogue == saved)
            #expect(await app.issues.count == 4)
            #expect(await app.library == ["sampler"])
            let response = try await client.send(target)
            #expect(response.status == .badRequest || response.status == .notFound)
            #expect(response.headers[.cacheControl] == NoCacheHeaders.cacheControl)
        }
    }

    @Test("accepts only GET and HEAD")
    func methods() async throws {
        try await withStorefrontHarness { _, client async throws in
            #expect(try await client.send("/issues/com.example.daily/x", "a=b").status == .methodNotAllowed)
        }
    }
}
