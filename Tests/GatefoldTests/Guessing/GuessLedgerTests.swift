import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("The ledger of wrong guesses")
struct GuessLedgerTests {
    static let start: TimeInterval = 0

    static func attempt(
        _ reader: String = "reader", _ password: String = "wrong", device: String? = nil, from client: String? = nil
    ) -> GuessAttempt {
        GuessAttempt(
            identifier: Array(reader.utf8), claim: Array("\(reader)/\(password)".utf8),
            acquaintance: device.map { Array("\(reader)/\($0)".utf8) }, client: client.flatMap { ClientAddress($0) })
    }

    /// Guesses once, wrongly; true when the guess was let through.
    static func guess(
        _ ledger: inout GuessLedger, _ attempt: GuessAttempt, from bearer: GuessLedger.Bearer = .stranger,
        at moment: TimeInterval = start, as outcome: GuessOutcome = .wrong
    ) -> Bool {
        switch ledger.admit(attempt, from: bearer, at: moment) {
        case .proceed(let ticket):
            _ = ledger.settle(ticket, as: outcome, at: moment)
            return true
        case .queued(let waiter):
            ledger.withdraw(waiter)
            return false
        case .throttled, .dependsOnBearer, .queueFull:
            return false
        }
    }

    static func wait(_ ledger: inout GuessLedger, _ attempt: GuessAttempt, at moment: TimeInterval = start) -> Int? {
        guard case .throttled(let wait) = ledger.admit(attempt, from: .stranger, at: moment) else { return nil }
        return wait
    }

    @Test("Pitfall 19: 10,000 addresses at one reader get ten guesses")
    func manyAddresses() {
        var ledger = GuessLedger()
        let through = (0..<10_000).filter { number in
            Self.guess(
                &ledger, Self.attempt("reader", "guess \(number)", from: "10.0.\(number / 250).\(number % 250)"))
        }
        #expect(through.count == 10)
    }

    @Test("Pitfall 19: one address at 10,000 readers gets a hundred guesses")
    func manyReaders() {
        var ledger = GuessLedger()
        let through = (0..<10_000).filter {
            Self.guess(&ledger, Self.attempt("reader \($0)", from: "192.0.2.1"))
        }
        #expect(through.count == 100)
    }

    @Test("Pitfall 19: changing addresses across an IPv6 /48 gets a thousand guesses, within a /64 a hundred")
    func wideBlock() {
        var ledger = GuessLedger()
        let within = (0..<500).filter {
            Self.guess(&ledger, Self.attempt("within \($0)", from: "2001:db8:1:1::\(String($0, radix: 16))"))
        }
        #expect(within.count == 100)
        let across = (0..<5000).filter {
            Self.guess(&ledger, Self.attempt("across \($0)", from: "2001:db8:2:\(String($0, radix: 16))::1"))
        }
        #expect(across.count == 1000)
        #expect(Self.guess(&ledger, Self.attempt("elsewhere", from: "2001:db8:3::1")))
    }

    @Test("In the long run only so many guesses an hour come through, however patient the attacker")
    func rate() {
        var ledger = GuessLedger()
        var through = 0
        for second in 0..<3600 {
            let moment = Self.start + TimeInterval(second)
            if Self.guess(&ledger, Self.attempt("reader", "guess \(second)"), at: moment) { through += 1 }
        }
        #expect(through == 10 + 39)
    }

    @Test("The wait that is told is long enough, and a second less is not")
    func waits() throws {
        var ledger = GuessLedger()
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let wait = try #require(Self.wait(&ledger, Self.attempt("reader", "another")))
        #expect(wait == 90)
        let almost = Self.start + TimeInterval(wait - 1)
        #expect(Self.wait(&ledger, Self.attempt("reader", "another"), at: almost) == 1)
        #expect(Self.guess(&ledger, Self.attempt("reader", "another"), at: almost + 1))
    }

    @Test("Pitfall 19: the same wrong pair again is no new guess")
    func repeated() {
        var ledger = GuessLedger()
        for _ in 0..<50 { #expect(Self.guess(&ledger, Self.attempt(from: "192.0.2.1"))) }
        for number in 0..<9 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        #expect(!Self.guess(&ledger, Self.attempt("reader", "one too many")))
    }

    @Test("Pitfall 19: the same wrong pair in parallel counts once when it is settled")
    func repeatedInParallel() {
        var ledger = GuessLedger()
        let tickets = (0..<10).compactMap { _ -> GuessTicket? in
            guard case .proceed(let ticket) = ledger.admit(Self.attempt(), from: .stranger, at: Self.start) else {
                return nil
            }
            return ticket
        }
        #expect(tickets.count == 10)
        #expect(!Self.guess(&ledger, Self.attempt("reader", "meanwhile")))
        for ticket in tickets { _ = ledger.settle(ticket, as: .wrong, at: Self.start) }
        let through = (0..<20).filter { Self.guess(&ledger, Self.attempt("reader", "guess \($0)")) }
        #expect(through.count == 9)
    }

    @Test("An attempt counts from its admission, so that parallel ones do not exceed the limit")
    func unsettled() {
        var ledger = GuessLedger()
        let admitted = (0..<100).filter { number in
            if case .proceed = ledger.admit(
                Self.attempt("reader", "guess \(number)"), from: .stranger, at: Self.start)
            {
                true
            } else {
                false
            }
        }
        #expect(admitted.count == 10)
    }

    @Test("Pitfall 9: what nobody could decide counts for nothing")
    func undecided() {
        var ledger = GuessLedger()
        for number in 0..<1000 {
            #expect(Self.guess(&ledger, Self.attempt("reader", "\(number)", from: "192.0.2.1"), as: .undecided))
        }
        #expect(ledger.count == 0)
    }

    @Test("A right sign-in counts for nothing, and clears nobody else's guesses")
    func right() {
        var ledger = GuessLedger()
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        // An attacker with an account of their own signs in from the same address between guesses.
        var through = 0
        for number in 0..<500 {
            if Self.guess(&ledger, Self.attempt("victim \(number)", from: "192.0.2.1")) { through += 1 }
            _ = Self.guess(&ledger, Self.attempt("attacker", "right", from: "192.0.2.1"), as: .right)
        }
        #expect(through == 100)
        #expect(!Self.guess(&ledger, Self.attempt("reader", "another")))
    }

    @Test("Pitfall 19: a reader's own device gets in while others have used up the guesses")
    func ownDevice() {
        var ledger = GuessLedger()
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let own = Self.attempt("reader", "right", device: "phone")
        #expect(ledger.admit(own, from: .unasked, at: Self.start) == .dependsOnBearer)
        #expect(!Self.guess(&ledger, own, from: .stranger))
        #expect(Self.guess(&ledger, own, from: .acquainted, as: .right))
    }

    @Test("A known device has a limit of its own")
    func ownDeviceLimit() {
        var ledger = GuessLedger()
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let through = (0..<100).filter {
            Self.guess(&ledger, Self.attempt("reader", "typo \($0)", device: "phone"), from: .acquainted)
        }
        #expect(through.count == 5)
    }

    @Test("Pitfall 19: an attacker behind the reader's own address does not lock out the reader's device")
    func sharedAddress() {
        var ledger = GuessLedger()
        for number in 0..<200 { _ = Self.guess(&ledger, Self.attempt("victim \(number)", from: "192.0.2.1")) }
        let own = Self.attempt("reader", "right", device: "phone", from: "192.0.2.1")
        #expect(!Self.guess(&ledger, own, from: .stranger))
        #expect(Self.guess(&ledger, own, from: .acquainted, as: .right))
    }

    @Test("Pitfall 19: an address from which the reader signed in lately gets in, with a limit of its own")
    func ownAddress() {
        var ledger = GuessLedger()
        #expect(Self.guess(&ledger, Self.attempt("reader", "right", from: "2001:db8::1"), as: .right))
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        #expect(!Self.guess(&ledger, Self.attempt("reader", "right", from: "2001:db8:0:1::1")))
        let through = (0..<100).filter {
            Self.guess(&ledger, Self.attempt("reader", "typo \($0)", from: "2001:db8::\(String($0, radix: 16))"))
        }
        #expect(through.count == 5)
        let nextDay = Self.start + 86_400
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "new \(number)"), at: nextDay)) }
        #expect(!Self.guess(&ledger, Self.attempt("reader", "right", from: "2001:db8::1"), at: nextDay))
    }

    @Test("Attempts from an address nobody knows are held by the reader's count alone")
    func unknownAddress() {
        var ledger = GuessLedger()
        let through = (0..<1000).filter { Self.guess(&ledger, Self.attempt("reader \($0)")) }
        #expect(through.count == 1000)
    }

    @Test("Readings out of order do not make time run faster")
    func disorder() {
        var ledger = GuessLedger()
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let through = (0..<10_000).filter {
            Self.guess(
                &ledger, Self.attempt("reader", "fast \($0)"), at: Self.start + ($0.isMultiple(of: 2) ? 0 : 1))
        }
        #expect(through.isEmpty)
    }

    @Test("Memory is bounded, and filling it does not reset a reader's count")
    func bounded() {
        var ledger = GuessLedger(limits: GuessLimits(capacity: 1000))
        for number in 0..<10 { #expect(Self.guess(&ledger, Self.attempt("victim", "guess \(number)"))) }
        for number in 0..<20_000 {
            _ = Self.guess(&ledger, Self.attempt("filler \(number)", from: "10.1.\(number / 250).\(number % 250)"))
        }
        #expect(ledger.count <= 9 * 1000)
        #expect(!Self.guess(&ledger, Self.attempt("victim", "another")))
    }

    @Test("Whatever happens in whatever order, no reader is guessed at more often than the limits say")
    func property() {
        var random = SeededRandom(seed: 19)
        var ledger = GuessLedger()
        var moment = Self.start
        var wrong: [String: Int] = [:]
        for number in 0..<20_000 {
            moment += TimeInterval(Int.random(in: 0...1, using: &random))
            let reader = "reader \(Int.random(in: 0..<20, using: &random))"
            let attempt = Self.attempt(reader, "\(number)", from: "10.0.0.\(Int.random(in: 0..<200, using: &random))")
            let outcome: GuessOutcome = [.wrong, .wrong, .undecided].randomElement(using: &random) ?? .wrong
            if Self.guess(&ledger, attempt, at: moment, as: outcome), outcome == .wrong {
                wrong[reader, default: 0] += 1
            }
        }
        let elapsed = moment - Self.start
        for (_, count) in wrong { #expect(Double(count) <= 10 + elapsed / 90 + 1) }
    }
}
