import Foundation
import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("Date formats of subscriber systems")
struct DateFormatTests {
    private static func timestamp(_ text: String) -> Date? { try? Date(text, strategy: .iso8601) }

    @Test(
        "Dates are read in each format",
        arguments: [
            (DateFormat.iso, "2026-11-21", "2026-11-21T00:00:00Z"),
            (.iso, "2026-11-21 06:07:08", "2026-11-21T06:07:08Z"),
            (.iso, "2026-11-21T06:07:08+02:00", "2026-11-21T04:07:08Z"),
            (.iso, "2026-11-21 06:07:08.000123+02", "2026-11-21T04:07:08Z"),
            (.compact, "20261121", "2026-11-21T00:00:00Z"), (.compact, "20261121060708Z", "2026-11-21T06:07:08Z"),
            (.dayFirst, "21/11/2026", "2026-11-21T00:00:00Z"), (.dayFirst, "1.2.2026", "2026-02-01T00:00:00Z"),
            (.monthFirst, "11/21/2026", "2026-11-21T00:00:00Z"), (.unix, "1793534400", "2026-11-01T12:00:00Z"),
        ])
    func reading(form: DateFormat, text: String, expected: String) {
        #expect(form.date(text, isEnd: false) == Self.timestamp(expected))
    }

    @Test("A day as an end is its last millisecond")
    func ends() {
        #expect(
            DateFormat.iso.date("2026-11-21", isEnd: true)
                == CivilTime.date("2026-11-21T23:59:59.999Z"))
        #expect(
            DateFormat.compact.date("20261121", isEnd: true)
                == CivilTime.date("2026-11-21T23:59:59.999Z"))
        #expect(DateFormat.iso.date("2026-11-21 06:00:00", isEnd: true) == Self.timestamp("2026-11-21T06:00:00Z"))
    }

    @Test(
        "Invalid dates are rejected",
        arguments: [
            (DateFormat.iso, "2026-02-30"), (.iso, "2026-11-21 25:00:00"), (.iso, "21/11/2026"), (.iso, "tomorrow"),
            (.compact, "2026112"), (.compact, "20261321"), (.dayFirst, "11/21/2026"), (.dayFirst, "1/2/26"),
            (.monthFirst, "21/11/2026"), (.unix, "-1"), (.unix, "1e9"), (.iso, ""),
        ])
    func denying(form: DateFormat, text: String) {
        #expect(form.date(text, isEnd: false) == nil)
    }

    @Test("Random texts are a date or nil in every format")
    func hostile() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<10_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 30, specialCharacters: "0123456789-/:.TZ+ "), as: UTF8.self)
            for form in DateFormat.allCases { _ = form.date(text, isEnd: Bool.random(using: &random)) }
        }
    }
}
