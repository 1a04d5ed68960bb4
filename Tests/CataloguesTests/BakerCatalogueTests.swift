import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Catalogues

@Suite("Catalogue from a Baker shelf")
struct BakerCatalogueTests {
    static let shelf = """
        [{"name": "2026-11", "title": "November", "info": "Storms", "date": "2026-11-01 06:30:00",
          "cover": "https://cdn.example.com/daily/covers/11.png", "url": "https://cdn.example.com/daily/11.hpub",
          "product_id": "com.example.11", "categories": ["News"]},
         {"name": "free", "title": "Free", "date": "2026-10-01 00:00:00", "cover": "c.png", "url": "f.hpub",
          "product_id": null}]
        """

    private func read(_ text: String) throws -> CatalogueReading {
        var reader = CatalogueReader()
        try BakerShelf(
            content: ContentPrefix("https://cdn.example.com/daily/"),
            address: "https://cdn.example.com/daily/shelf.json"
        ).read(Array(text.utf8), into: &reader)
        return reader.finish(nil)
    }

    @Test("Reads each edition once")
    func accepts() throws {
        let reading = try read(Self.shelf)
        #expect(reading.problems == [])
        let catalogue = Catalogue(reading.editions)
        let november = try #require(catalogue[EditionID("2026-11")!])
        #expect(november.product == "com.example.11" && !november.isFree && november.file == "11.hpub")
        #expect(november.published == Date(timeIntervalSince1970: 1_793_514_600))
        #expect(november.details.cover == "covers/11.png" && november.details.categories == ["News"])
        let free = try #require(catalogue[EditionID("free")!])
        #expect(free.isFree && free.file == "f.hpub" && free.details.cover == "c.png")
    }

    @Test(
        "Decodes escapes in an archive's name and keeps those of a cover",
        arguments: [
            "2026/May%20Issue.hpub", "2026/May Issue.hpub", "https://cdn.example.com/daily/2026/May%20Issue.hpub",
        ])
    func escapes(url: String) throws {
        let reading = try read(
            #"[{"name": "a", "date": "2026-11-01 06:30:00", "url": "\#(url)", "cover": "covers/May%20\u0031.png?v=3"}]"#
        )
        #expect(reading.problems == [])
        #expect(reading.editions.first?.file == "2026/May Issue.hpub")
        #expect(reading.editions.first?.details.cover == "covers/May%201.png?v=3")
    }

    @Test(
        "Reports each invalid item with its position and the reason",
        arguments: [
            (#"[{"name": "a", "date": "2026-11-01T06:30:00Z"}]"#, "item 1: its date cannot be read"),
            (#"[{"name": "a b", "date": "2026-11-01 06:30:00"}]"#, "item 1: its id is invalid"),
            (#"[{"name": "a"}]"#, "item 1: has no date"),
            (#"[{"name": "a", "date": "2026-02-30 00:00:00"}]"#, "item 1: its date cannot be read"),
            (#"[{"name": 5, "date": "2026-11-01 06:30:00"}]"#, "item 1: its name cannot be read"),
            (#"[7]"#, "item 1: is not an object"),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "url": "https://elsewhere.example.com/a.hpub"}]"#,
                "item 1: its file cannot be read"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "url": "https://cdn.example.com/daily/a%2Fb.hpub"}]"#,
                "item 1: its file cannot be read"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "url": "https://cdn.example.com/daily/%2e%2e/b"}]"#,
                "item 1: its file cannot be read"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "url": "https://cdn.example.com/daily/%FF.hpub"}]"#,
                "item 1: its file cannot be read"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "cover": "javascript:x"}]"#,
                "item 1: its cover cannot be read"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00"}, {"name": "a", "date": "2026-11-01 06:30:00"}]"#,
                "item 2: the edition a is listed twice"
            ),
            (
                #"[{"name": "a", "date": "2026-11-01 06:30:00", "product_id": "p"}, {"name": "b", "date": "#
                    + #""2026-11-01 06:30:00", "product_id": "p"}]"#,
                "item 2: the editions a and b have the same product"
            ),
        ])
    func problems(text: String, problem: String) throws {
        #expect(try read(text).problems.first?.description.hasPrefix(problem) == true)
    }

    @Test(
        "Rejects an error document and text that is not JSON",
        arguments: [#"{"error": "x"}"#, "<html>", ""])
    func notACatalogue(text: String) {
        #expect(throws: CatalogueFailure.self) { try read(text) }
    }

    @Test("Reads any bytes without a trap")
    func fuzz() {
        var random = SeededRandom(seed: 9)
        let good = Array(Self.shelf.utf8)
        for round in 0..<8_000 {
            var bytes = good
            if round.isMultiple(of: 4) {
                bytes = random.hostileBytes(upTo: 100, specialCharacters: "[]{}\":,\\u00name")
            } else {
                for _ in 0...3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                        in: .min ... .max, using: &random)
                }
            }
            var reader = CatalogueReader()
            try? BakerShelf().read(bytes, into: &reader)
        }
    }
}
