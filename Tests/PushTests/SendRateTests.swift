import Foundation
import TestSupport
import Testing

@testable import Push

@Suite("Campaign send rate") struct SendRateTests {
    @Test("Holds over any period and any call pattern")
    func rate() {
        var random = SeededRandom(seed: 11)
        for perSecond in [1, 3, 10, 500, 100_000] {
            var rate = SendRate(perSecond: perSecond)
            var (now, begun) = (0.0, 0)
            for _ in 0..<8_000 {
                let wait = rate.take(at: now)
                if wait == 0 {
                    begun += 1
                } else {
                    #expect(wait <= 1 / Double(perSecond))
                    now += wait * Double.random(in: 0.5...2, using: &random)
                }
                #expect(Double(begun) <= now * Double(perSecond) + max(1, Double(perSecond) / 10) + 0.01)
            }
        }
    }

    @Test("Does not catch up after a pause, and grants nothing after the clock is set back")
    func pause() {
        var rate = SendRate(perSecond: 10)
        #expect(rate.take(at: 100) == 0)
        #expect(rate.take(at: 100) > 0)
        #expect(rate.take(at: 99) > 0)
        #expect(rate.take(at: 100.1) == 0)
        #expect(rate.take(at: 5_000) == 0)
        #expect(rate.take(at: 5_000) > 0)
    }

    @Test("Grants a send exactly after the reported wait")
    func exact() {
        for perSecond in [1, 7, 333, 1_000] {
            var rate = SendRate(perSecond: perSecond)
            var now = 0.0
            for _ in 0..<1_000 {
                let wait = rate.take(at: now)
                guard wait > 0 else { continue }
                now += wait
                #expect(rate.take(at: now) == 0)
            }
        }
    }
}
