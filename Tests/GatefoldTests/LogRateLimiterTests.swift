import Foundation
import Gatefold
import Primitives
import Testing

@Suite("Log rate limiter")
struct LogRateLimiterTests {
    @Test("Admits a line again after a minute, and not before")
    func one() {
        let limiter = LogRateLimiter()
        for (seconds, isAdmitted) in [(0, true), (1, false), (59, false), (60, true), (61, false), (120, true)] {
            #expect(limiter.admits(at: TimeInterval(1000 + seconds)) == isAdmitted, "after \(seconds) s")
        }
    }

    @Test("Admits several lines within the minute that begins with the first")
    func several() {
        let limiter = LogRateLimiter(perMinute: 2)
        let admitted = [50, 70, 80, 109, 110, 111, 169].map { limiter.admits(at: $0) }
        #expect(admitted == [true, true, false, false, true, true, false])
    }
}
