import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("A fuzz target", .serialized)
struct FuzzTargetTests {
    @Test("keeps its promises on its seeds, and on 500 damaged ones", arguments: FuzzTarget.all.map(\.name))
    func promises(name: String) async throws {
        let target = try #require(FuzzTarget.named(name))
        let seeds = try Seeds.of(target).map(\.bytes)
        for seed in seeds { target.run(seed) }
        let extremes: [[UInt8]] = [[], [0x0A], [0x00], [0xFF], Array(repeating: 0x28, count: target.longest)]
        for input in extremes { target.run(input) }
        var random = SeededRandom(seed: 77)
        for round in 0..<500 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 100) { await Task.yield() }
            target.run(random.mutated(seeds, upTo: target.longest))
        }
    }

    @Test("has a name of its own, and seeds that are no longer than its inputs")
    func seeds() throws {
        #expect(Set(FuzzTarget.all.map(\.name)).count == FuzzTarget.all.count)
        #expect(try Seeds.names() == Set(FuzzTarget.all.map(\.name)))
        for target in FuzzTarget.all {
            let seeds = try Seeds.of(target)
            #expect(!seeds.isEmpty, "\(target.name)")
            for seed in seeds { #expect(seed.bytes.count <= target.longest, "\(target.name)/\(seed.name)") }
        }
    }

    @Test("of the fast lane begins with requests that it answers and with others, on one connection")
    func lane() throws {
        let passed = try Seeds.of(.fastLane).map { FuzzTarget.passed($0.bytes) }
        #expect(passed.contains { $0.inside == 0 && $0.all > 1 })
        #expect(passed.contains { (1..<$0.all).contains($0.inside) })
    }

    @Test("of sealed texts begins with those that were given out, so that their neighbours are tried")
    func genuine() throws {
        let texts = try Seeds.of(.sealedTexts).map { String(decoding: $0.bytes, as: UTF8.self) }
        for text in FuzzTarget.genuineTexts { #expect(texts.contains(text), "expected a seed with \(text)") }
        let pairs = try Seeds.of(.editionCredentials).map { String(decoding: $0.bytes, as: UTF8.self) }
        for (edition, pair) in FuzzTarget.pairs where edition == FuzzedTenant.edition {
            #expect(pairs.contains("\(pair.userid)\n\(pair.password)"), "expected \(pair.userid) \(pair.password)")
        }
        let sealed = FuzzedTenant.pair(FuzzedTenant.edition, .sealed)
        let ticket = "ticket=\(sealed.userid).\(sealed.password)"
        #expect(try Seeds.of(.ticket).contains { String(decoding: $0.bytes, as: UTF8.self) == ticket }, "\(ticket)")
    }
}
