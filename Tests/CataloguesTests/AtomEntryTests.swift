import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Catalogues

@Suite("Entries of Atom and OPDS feeds")
struct AtomEntryTests {
    private static let free = #"<link rel="http://opds-spec.org/acquisition" href="a.epub"/>"#

    private func entry(_ id: String, _ dates: String, _ more: String = "") -> String {
        "<entry><id>\(id)</id><title>\(id)</title>\(dates)\(more)</entry>"
    }

    private func read(_ entries: [String], known: Catalogue = Catalogue()) throws -> CatalogueReading {
        let text = """
            <feed xmlns="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/terms/"
              xmlns:app="http://www.w3.org/2007/app">\(entries.joined())</feed>
            """
        var reader = CatalogueReader(known: known)
        #expect(try AtomFeed().read(Array(text.utf8), from: nil, known: known, into: &reader) == nil)
        return reader.finish(nil)
    }

    @Test(
        "Is published on the first day of its issue date, which may be a year or a month",
        arguments: [
            ("1917", "1917-01-01"), ("2026-03", "2026-03-01"), (" 2026-03-05 ", "2026-03-05"),
            ("2026-03-05T06:00:00Z", "2026-03-05T06:00:00Z"),
        ])
    func issued(text: String, day: String) throws {
        let reading = try read([
            entry("a", "<dc:issued>\(text)</dc:issued><updated>2026-10-01T00:00:00Z</updated>")
        ])
        #expect(reading.problems == [])
        #expect(reading.editions.map(\.published) == [CivilTime.date(day)])
    }

    @Test("Prefers the publication date to the issue date")
    func published() throws {
        let reading = try read([
            entry("a", "<published>2026-03-05T06:00:00Z</published><dc:issued>Spring 1917</dc:issued>")
        ])
        #expect(reading.problems == [])
        #expect(reading.editions.map(\.published) == [CivilTime.date("2026-03-05T06:00:00Z")])
    }

    @Test(
        "Reports an invalid entry without losing the others",
        arguments: [
            "<dc:issued>spring</dc:issued>", "<dc:issued>2026-13</dc:issued>", "<dc:issued>0000</dc:issued>",
            "<dc:issued>19170</dc:issued>", "<published>1917</published>", "<updated>2026-03</updated>", "",
        ])
    func odd(dates: String) throws {
        let good = entry("b", "<published>2026-03-05T06:00:00Z</published>")
        let reading = try read([entry("a", dates, Self.free), good])
        #expect(reading.problems.map(\.position) == [1])
        #expect(CatalogueLimits().rejection(of: reading, last: nil) == nil)
        #expect(Catalogue(reading.editions)[try #require(EditionID("b"))]?.isDraft == false)
    }

    @Test("Pitfall 1: an edition with an unreadable entry is neither published nor free")
    func notOut() throws {
        let timestamp = Date(timeIntervalSince1970: 1_793_534_400)
        let id = try #require(EditionID("a"))
        let draft = "<app:control><app:draft>yes</app:draft></app:control>"
        for odd in [
            entry("a", "<dc:issued>soon</dc:issued>", draft), entry("a", "<dc:issued>soon</dc:issued>", Self.free),
        ] {
            let reading = try read([odd, entry("b", "<published>2026-03-05T06:00:00Z</published>")])
            let catalogue = Catalogue(reading.editions)
            #expect(!catalogue.isPublished(id, at: timestamp) && !catalogue.isFree(id, at: timestamp))
            #expect(catalogue.offered(at: timestamp).map(\.id.rawValue) == ["b"])
            for policy in EntitlementPolicy.allCases {
                let rule = EntitlementRule(policy: policy, catalogue: catalogue)
                let held = Subscription(state: .inactive, entitlement: .editions([id]))
                #expect(!rule.apply(to: held, at: timestamp).opens(id), "\(policy)")
            }
        }
    }

    @Test("Keeps the previous state of an edition whose entry becomes unreadable")
    func before() throws {
        let before = Edition(
            id: try #require(EditionID("a")), title: "Before", published: Date(timeIntervalSince1970: 1_700_000_000),
            product: "p")
        let odd = entry("a", "<dc:issued>soon</dc:issued>", Self.free)
        let good = entry("b", "<published>2026-03-05T06:00:00Z</published>")
        let reading = try read([odd, good], known: Catalogue([before]))
        #expect(Catalogue(reading.editions)[before.id] == before)
        #expect(reading.problems.count == 1 && reading.unreadableEditions == [before.id])
        // Its product now belongs to another edition.
        let sold = entry("b", "<published>2026-03-05T06:00:00Z</published>", "<dc:identifier>p</dc:identifier>")
        let taken = Catalogue(try read([sold, odd], known: Catalogue([before])).editions)
        #expect(taken.edition(storeProductID: "p")?.rawValue == "b" && taken[before.id]?.isDraft == true)
    }

    @Test("Keeps the last valid catalogue if no entry is readable")
    func noneReadable() throws {
        let reading = try read([entry("a", ""), entry("b", "<dc:issued>x</dc:issued>")])
        #expect(CatalogueLimits().rejection(of: reading, last: 2) == .empty)
    }
}
