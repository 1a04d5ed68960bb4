import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Catalogues

@Suite("An entry of an Atom or OPDS feed")
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
        "is out from its issue's first day, which may be a year or a month",
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

    @Test("has the date of its publication where there is one, whatever its issue's is")
    func published() throws {
        let reading = try read([
            entry("a", "<published>2026-03-05T06:00:00Z</published><dc:issued>Spring 1917</dc:issued>")
        ])
        #expect(reading.problems == [])
        #expect(reading.editions.map(\.published) == [CivilTime.date("2026-03-05T06:00:00Z")])
    }

    @Test(
        "that is odd is reported, and keeps no other back",
        arguments: [
            "<dc:issued>spring</dc:issued>", "<dc:issued>2026-13</dc:issued>", "<dc:issued>0000</dc:issued>",
            "<dc:issued>19170</dc:issued>", "<published>1917</published>", "<updated>2026-03</updated>", "",
        ])
    func odd(dates: String) throws {
        let good = entry("b", "<published>2026-03-05T06:00:00Z</published>")
        let reading = try read([entry("a", dates, Self.free), good])
        #expect(reading.problems.map(\.position) == [1])
        #expect(CatalogueLimits().refusal(of: reading, last: nil) == nil)
        #expect(Catalogue(reading.editions)[try #require(EditionID("b"))]?.isDraft == false)
    }

    @Test("Pitfall 1: an edition whose entry can not be read is not out, and not free")
    func notOut() throws {
        let moment = Date(timeIntervalSince1970: 1_793_534_400)
        let id = try #require(EditionID("a"))
        let draft = "<app:control><app:draft>yes</app:draft></app:control>"
        for odd in [
            entry("a", "<dc:issued>soon</dc:issued>", draft), entry("a", "<dc:issued>soon</dc:issued>", Self.free),
        ] {
            let reading = try read([odd, entry("b", "<published>2026-03-05T06:00:00Z</published>")])
            let catalogue = Catalogue(reading.editions)
            #expect(!catalogue.isOut(id, at: moment) && !catalogue.isFree(id, at: moment))
            #expect(catalogue.offered(at: moment).map(\.id.rawValue) == ["b"])
            for policy in EntitlementPolicy.allCases {
                let rule = EntitlementRule(policy: policy, catalogue: catalogue)
                let held = Subscription(state: .inactive, entitlement: .editions([id]))
                #expect(!rule.apply(to: held, at: moment).opens(id), "\(policy)")
            }
        }
    }

    @Test("stays what it was before where it can not be read any more")
    func before() throws {
        let before = Edition(
            id: try #require(EditionID("a")), title: "Before", published: Date(timeIntervalSince1970: 1_700_000_000),
            product: "p")
        let odd = entry("a", "<dc:issued>soon</dc:issued>", Self.free)
        let good = entry("b", "<published>2026-03-05T06:00:00Z</published>")
        let reading = try read([odd, good], known: Catalogue([before]))
        #expect(Catalogue(reading.editions)[before.id] == before)
        #expect(reading.problems.count == 1 && reading.unread == [before.id])
        // Its product belongs to another edition now.
        let sold = entry("b", "<published>2026-03-05T06:00:00Z</published>", "<dc:identifier>p</dc:identifier>")
        let taken = Catalogue(try read([sold, odd], known: Catalogue([before])).editions)
        #expect(taken.edition(soldAs: "p")?.rawValue == "b" && taken[before.id]?.isDraft == true)
    }

    @Test("is not missed where none can be read: the last good catalogue stays")
    func noneReadable() throws {
        let reading = try read([entry("a", ""), entry("b", "<dc:issued>x</dc:issued>")])
        #expect(CatalogueLimits().refusal(of: reading, last: 2) == .empty)
    }
}
