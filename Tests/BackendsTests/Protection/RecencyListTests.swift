import TestSupport
import Testing

@testable import Backends

@Suite("What was not used for longest")
struct RecencyListTests {
    @Test("is what a plain list says, whatever is added, used and removed", arguments: 1...20)
    func model(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var list = RecencyList()
        var model: [Int] = []
        for _ in 0..<5_000 {
            switch (Int.random(in: 0..<3, using: &random), model.randomElement(using: &random)) {
            case (1, let number?):
                list.use(number)
                model.removeAll { $0 == number }
                model.append(number)
            case (2, let number?):
                list.remove(number)
                model.removeAll { $0 == number }
            default:
                let number = list.insert()
                #expect(!model.contains(number))
                model.append(number)
            }
            #expect(list.oldest == model.first)
        }
    }
}
