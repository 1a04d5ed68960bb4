import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Fuzz targets", .serialized)
struct FuzzTargetTests {
    @Test("Keeps its properties on its seeds and on 500 mutated ones", arguments: FuzzTarget.all.map(\.name))
    func promises(name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = try Seeds.of(target).map(\.bytes)
        for seed in seeds { target.run(seed) }
        let extremes: [[UInt8]] = [[], [0x0A], [0x00], [0xFF], Array(repeating: 0x28, count: target.maxLength)]
        for input in extremes { target.run(input) }
        var random = SeededRandom(seed: 77)
        for round in 0..<500 {
            // Yields to the other tests of this process.
            if round.isMultiple(of: 100) { await Task.yield() }
            target.run(random.mutated(seeds, upTo: target.maxLength))
        }
    }

    @Test("Has a unique name and seeds within its maximum length")
    func seeds() throws {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        #expect(try Seeds.names() == Set(FuzzTarget.all.map(\.name)))
        for target in FuzzTarget.all {
            let seeds = try Seeds.of(target)
            #expect(!seeds.isEmpty, "\(target.name)")
            for seed in seeds { #expect(seed.bytes.count <= target.maxLength, "\(target.name)/\(seed.name)") }
        }
    }

    @Test("Seeds of connections mix plain requests with others")
    func plainConnections() throws {
        let passed = try Seeds.of(.plainConnection).map { FuzzTarget.passed($0.bytes) }
        #expect(passed.contains { $0.inside == 0 && $0.all > 1 })
        #expect(passed.contains { (1..<$0.all).contains($0.inside) })
    }

    @Test("Sealed-text seeds include every issued text, so that mutations are close to valid ones")
    func genuine() throws {
        let texts = try Seeds.of(.sealedTexts).map { String(decoding: $0.bytes, as: UTF8.self) }
        for text in FuzzTarget.genuineTexts { #expect(texts.contains(text), "expected a seed with \(text)") }
        let pairs = try Seeds.of(.editionCredentials).map { String(decoding: $0.bytes, as: UTF8.self) }
        for (edition, pair) in FuzzTarget.pairs where edition == FuzzedTenant.edition {
            #expect(pairs.contains("\(pair.userid)\n\(pair.password)"), "expected \(pair.userid) \(pair.password)")
        }
        let sealed = FuzzedTenant.pair(FuzzedTenant.edition, .sealed)
        let downloadToken = "ticket=\(sealed.userid).\(sealed.password)"
        #expect(
            try Seeds.of(.downloadToken).contains { String(decoding: $0.bytes, as: UTF8.self) == downloadToken },
            "\(downloadToken)")
    }
}
