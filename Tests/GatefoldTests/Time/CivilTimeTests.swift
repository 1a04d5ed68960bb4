import Foundation
import Primitives
import TestSupport
import Testing

@Suite("Civil time")
struct CivilTimeTests {
    @Test(
        "Parses dates and timestamps",
        arguments: [
            ("1970-01-01", 0), ("1970-01-01T00:00:01Z", 1), ("2026-11-01 12:00:00Z", 1_793_534_400),
            ("2026-11-01T14:00:00+02:00", 1_793_534_400), ("2024-02-29", 1_709_164_800),
        ])
    func reading(text: String, seconds: TimeInterval) {
        #expect(CivilTime.date(text) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "Rejects dates and times that do not exist",
        arguments: [
            "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-11-21T24:00:00Z",
            "2026-11-21T12:60:00Z", "2026-11-21T12:00:60Z", "2026-11-21T12:00:00", "2026-11-21T12:00:00+24:00",
            "2026-1-1", "",
        ])
    func denying(text: String) {
        #expect(CivilTime.date(text) == nil)
    }

    @Test("agrees with Foundation on every day of eight centuries")
    func everyDay() {
        for day in -130_000..<170_000 {
            let date = Date(timeIntervalSince1970: TimeInterval(day) * 86_400)
            guard day.isMultiple(of: 7) else { continue }
            #expect(CivilTime.date(date.formatted(.iso8601.year().month().day())) == date)
        }
    }
}
