import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("LRU list")
struct LRUListTests {
    @Test("Behaves as plain lists do after any insert, use and removal in any segment", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = LRUList(segments: 2)
        var model: [[Int]] = [[], []]
        for _ in 0..<5_000 {
            let segment = Int.random(in: 0..<2, using: &random)
            switch (Int.random(in: 0..<3, using: &random), model[segment].randomElement(using: &random)) {
            case (1, let number?):
                list.use(number)
                model[segment].removeAll { $0 == number }
                model[segment].append(number)
            case (2, let number?):
                list.remove(number)
                model[segment].removeAll { $0 == number }
            default:
                let number = list.insert(in: segment)
                #expect(!model.joined().contains(number))
                model[segment].append(number)
            }
            #expect(list.oldest(in: 0) == model[0].first)
            #expect(list.oldest(in: 1) == model[1].first)
        }
    }
}
