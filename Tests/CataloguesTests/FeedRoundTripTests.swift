import Foundation
import Gatefold
import TestSupport
import Testing
import XML

@testable import Catalogues
@testable import FrontDoors

@Suite("Round trip of our own feed")
struct FeedRoundTripTests {
    private static let timestamp = Date(timeIntervalSince1970: 1_793_534_400)
    private static let content = "https://cdn.example.com/daily/"
    private let settings = FeedSettings(
        title: "Daily", id: "urn:uuid:00000000-0000-8000-8000-000000000000", address: "https://www.example.com/feed",
        content: ContentAddress(Self.content)!, showsDrafts: true)

    private func read(_ bytes: [UInt8], known: Catalogue = Catalogue()) throws -> CatalogueReading {
        var reader = CatalogueReader()
        let next = try AtomFeed(content: ContentPrefix(Self.content))
            .read(bytes, from: "https://www.example.com/feed", known: known, into: &reader)
        #expect(next == nil)
        return reader.finish(nil)
    }

    @Test("Contains the same editions and is valid Atom")
    func roundTrip() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/atom/feed.rng")
        let schema = try RelaxNGSchema(String(contentsOf: file.standardizedFileURL, encoding: .utf8))
        var samples = SampleEditions(random: SeededRandom(seed: 4))
        for round in 0..<200 {
            let catalogue = Catalogue((0..<(round % 12)).map { samples.edition($0) })
            let bytes = FeedDocument.bytes(
                FeedView(catalogue, for: .draftReaders, at: Self.timestamp), settings, at: Self.timestamp)
            #expect(try schema.errors(in: bytes) == [])
            let reading = try read(bytes)
            #expect(reading.problems == [])
            #expect(Catalogue(reading.editions) == catalogue)
        }
    }

    @Test("Keeps known details of a withdrawn edition, and only the withdrawal of an unknown one")
    func deletions() throws {
        let when = Self.timestamp - 60
        var samples = SampleEditions(random: SeededRandom(seed: 5))
        let known = samples.edition(0)
        let other = Edition(id: EditionID("other")!, title: "Other", published: Self.timestamp - 3600, withdrawn: when)
        let gone = Edition(
            id: known.id, title: known.title, published: known.published, isFree: known.isFree, withdrawn: when,
            product: known.product, file: known.file, details: known.details)
        let bytes = FeedDocument.bytes(
            FeedView(Catalogue([gone, other]), for: .everybody, at: Self.timestamp), settings, at: Self.timestamp)
        let reading = try read(bytes, known: Catalogue([known]))
        let found = Catalogue(reading.editions)
        #expect(found[known.id]?.details == known.details && found[known.id]?.withdrawn == when)
        #expect(found[other.id]?.withdrawn == when && found[other.id]?.published == when)
    }

    @Test("Reads any bytes without a trap")
    func fuzz() throws {
        var samples = SampleEditions(random: SeededRandom(seed: 6))
        let catalogue = Catalogue((0..<3).map { samples.edition($0) })
        let good = FeedDocument.bytes(
            FeedView(catalogue, for: .draftReaders, at: Self.timestamp), settings, at: Self.timestamp)
        var random = SeededRandom(seed: 7)
        for round in 0..<8_000 {
            var bytes = good
            if round.isMultiple(of: 4) {
                bytes = random.hostileBytes(upTo: 200, specialCharacters: "<feed entry id=\"/>&#;x:")
            } else {
                for _ in 0...Int.random(in: 0...4, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: bytes.remove(at: index)
                    default: bytes.insert(contentsOf: "<x ref=''/>".utf8, at: index)
                    }
                }
            }
            var reader = CatalogueReader()
            _ = try? AtomFeed().read(bytes, from: nil, known: catalogue, into: &reader)
        }
    }
}
