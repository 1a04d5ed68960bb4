import Foundation
import Gatefold
import TestSupport
import Testing

/// A statement that compares the proof itself finds no row for a wrong one, and a system behind HTTP never names a
/// subscriber. Only the spelling is then left to count attempts by.
@Suite("Spellings of a number")
struct SpelledNumberTests {
    private static let card = "12345678"

    /// Returns the number of wrong attempts that proceed, each from another address, where the backend does not report
    /// the subscriber.
    private func admitted(_ spellings: [String]) -> Int {
        let pseudonymKey = PseudonymKey(.one)
        var ledger = LoginAttemptLedger()
        var count = 0
        for (number, spelling) in spellings.enumerated() {
            let credentials = Credentials(identifier: spelling, fields: ["card": spelling, "surname": "x\(number)"])
            let attempt = pseudonymKey.attempt(
                credentials, publication: .daily, device: nil,
                client: ClientAddress("10.0.\(number / 250).\(number % 250)"))
            if LoginThrottleLedgerTests.tryLogin(&ledger, attempt) { count += 1 }
        }
        return count
    }

    @Test(
        "Pitfall 22: spellings of one value share one limit, for systems that compare by value",
        arguments: [
            (1...200).map { String(repeating: "0", count: $0) + card },
            (0..<100).map { card + "." + String(repeating: "0", count: $0) },
            (0..<100).map { card + String(repeating: "0", count: $0) + "e-\($0)" },
            (0..<100).map { "\(card)E+" + String(repeating: "0", count: $0) },
            (0..<100).map { "." + String(repeating: "0", count: $0) + "\(card)e\($0 + 8)" },
            (0..<100).map { String(repeating: " ", count: $0) + "+" + card },
            (0..<100).map { String(repeating: "\t\u{A0}", count: $0) + "+0\(card).0e0" },
            (0..<100).map { String(repeating: "0_", count: $0) + "1_234_567_8" },
            (0..<100).map { "00" + card + ".00" + String(repeating: "0", count: $0) + "e00" },
        ])
    func values(spellings: [String]) {
        #expect(admitted(spellings) == 10)
    }

    @Test(
        "Pitfall 22: spellings with one numeric prefix share one limit, for systems that read only the number",
        arguments: [
            (0..<100).map { "\(card)x\($0)" }, (0..<100).map { "\(card)@\($0).example" },
            (0..<100).map { "\(card),\($0)" }, (0..<100).map { "\(card)_\($0)" },
            (0..<100).map { "\(card)\u{FF11}\u{FF12}x\($0)" }, (0..<100).map { "\(card).\($0)" },
            (0..<100).map { "\(card)e\($0)" }, (0..<100).map { "\(card).7e\($0)z" },
            (0..<100).map { String(repeating: "0", count: $0) + "\(card).0e+x\($0)" },
        ])
    func prefixes(spellings: [String]) {
        #expect(admitted(spellings) == 10)
    }

    @Test("Pitfall 22: spellings of any number in any notation share one limit", arguments: 1...50)
    func anyNumber(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let digits = String(Int.random(in: 1..<1_000_000_000, using: &random))
        var spellings: Set<String> = []
        while spellings.count < 100 {
            let moved = Int.random(in: 0...digits.utf8.count, using: &random)
            let zeros = (0..<3).map { _ in String(repeating: "0", count: Int.random(in: 0...9, using: &random)) }
            let sign = ["", "+", " ", "\n +"].randomElement(using: &random) ?? ""
            let rest = ["", " ", "abc", "é", "\u{200B}0", "-1", "..", "e", "e+"].randomElement(using: &random) ?? ""
            let (whole, fraction) = (digits.dropLast(moved), digits.suffix(moved))
            let exponent = moved > 0 ? "e\(zeros[2])\(moved)" : ["", "e0", "e-00"].randomElement(using: &random) ?? ""
            spellings.insert("\(sign)\(zeros[0])\(whole).\(fraction)\(zeros[1])\(exponent)\(rest)")
        }
        #expect(admitted(Array(spellings)) == 10, "\(spellings.prefix(20))")
    }

    @Test("Any exponent is parsed within bounds")
    func bounds() {
        let nines = String(repeating: "9", count: 1_000)
        for text in [
            "1e1000000000", "1e-1000000000", "1e\(nines)", nines, "0.\(nines)e\(nines)", "-", "+.", ".e5", "e",
        ] {
            #expect(admitted([text]) == 1)
        }
        #expect(admitted((0..<100).map { "1e100000000\($0)" }) <= 20)
    }

    @Test("Spellings of different cards have separate counters")
    func apart() {
        #expect(admitted((0..<100).map { "1234\($0 + 1_000)" }) == 100)
        #expect(admitted((0..<100).map { "reader\($0)@example.com" }) == 100)
    }
}
