import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Login throttle ledger")
struct LoginThrottleLedgerTests {
    static let start: TimeInterval = 0

    static func attempt(
        _ reader: String = "reader", _ password: String = "wrong", device: String? = nil, from client: String? = nil
    ) -> LoginAttempt {
        LoginAttempt(
            identifier: Array(reader.utf8), claim: Array("\(reader)/\(password)".utf8),
            deviceDigest: device.map { Array("\(reader)/\($0)".utf8) }, client: client.flatMap { ClientAddress($0) })
    }

    /// Makes one wrong login attempt. Returns true if the attempt was admitted.
    static func tryLogin(
        _ ledger: inout LoginAttemptLedger, _ attempt: LoginAttempt,
        from deviceTrust: LoginAttemptLedger.DeviceTrust = .unknownDevice,
        at timestamp: TimeInterval = start, as outcome: LoginAttemptOutcome = .wrong
    ) -> Bool {
        switch ledger.admit(attempt, from: deviceTrust, at: timestamp) {
        case .proceed(let permit):
            _ = ledger.settle(permit, as: outcome, at: timestamp)
            return true
        case .queued(let waitingAttempt):
            ledger.withdraw(waitingAttempt)
            return false
        case .throttled, .dependsOnDeviceTrust, .queueFull:
            return false
        }
    }

    static func wait(_ ledger: inout LoginAttemptLedger, _ attempt: LoginAttempt, at timestamp: TimeInterval = start)
        -> Int?
    {
        guard case .throttled(let wait) = ledger.admit(attempt, from: .unknownDevice, at: timestamp) else { return nil }
        return wait
    }

    @Test("Pitfall 19: 10,000 addresses get ten attempts at one reader")
    func manyAddresses() {
        var ledger = LoginAttemptLedger()
        let through = (0..<10_000).filter { number in
            Self.tryLogin(
                &ledger, Self.attempt("reader", "guess \(number)", from: "10.0.\(number / 250).\(number % 250)"))
        }
        #expect(through.count == 10)
    }

    @Test("Pitfall 19: one address gets a hundred attempts at 10,000 readers")
    func manyReaders() {
        var ledger = LoginAttemptLedger()
        let through = (0..<10_000).filter {
            Self.tryLogin(&ledger, Self.attempt("reader \($0)", from: "192.0.2.1"))
        }
        #expect(through.count == 100)
    }

    @Test("Pitfall 19: changing addresses get a thousand attempts across an IPv6 /48 and a hundred within a /64")
    func network() {
        var ledger = LoginAttemptLedger()
        let within = (0..<500).filter {
            Self.tryLogin(&ledger, Self.attempt("within \($0)", from: "2001:db8:1:1::\(String($0, radix: 16))"))
        }
        #expect(within.count == 100)
        let across = (0..<5000).filter {
            Self.tryLogin(&ledger, Self.attempt("across \($0)", from: "2001:db8:2:\(String($0, radix: 16))::1"))
        }
        #expect(across.count == 1000)
        #expect(Self.tryLogin(&ledger, Self.attempt("elsewhere", from: "2001:db8:3::1")))
    }

    @Test("The number of attempts per hour stays limited over time")
    func rate() {
        var ledger = LoginAttemptLedger()
        var through = 0
        for second in 0..<3600 {
            let timestamp = Self.start + TimeInterval(second)
            if Self.tryLogin(&ledger, Self.attempt("reader", "guess \(second)"), at: timestamp) { through += 1 }
        }
        #expect(through == 10 + 39)
    }

    @Test("The reported wait is exactly long enough")
    func waits() throws {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let wait = try #require(Self.wait(&ledger, Self.attempt("reader", "another")))
        #expect(wait == 90)
        let almost = Self.start + TimeInterval(wait - 1)
        #expect(Self.wait(&ledger, Self.attempt("reader", "another"), at: almost) == 1)
        #expect(Self.tryLogin(&ledger, Self.attempt("reader", "another"), at: almost + 1))
    }

    @Test("Pitfall 19: a repeated wrong pair does not count as a new attempt")
    func repeated() {
        var ledger = LoginAttemptLedger()
        for _ in 0..<50 { #expect(Self.tryLogin(&ledger, Self.attempt(from: "192.0.2.1"))) }
        for number in 0..<9 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        #expect(!Self.tryLogin(&ledger, Self.attempt("reader", "one too many")))
    }

    @Test("Pitfall 19: parallel attempts with the same wrong pair count once after they are settled")
    func repeatedInParallel() {
        var ledger = LoginAttemptLedger()
        let permits = (0..<10).compactMap { _ -> LoginAttemptPermit? in
            guard case .proceed(let permit) = ledger.admit(Self.attempt(), from: .unknownDevice, at: Self.start) else {
                return nil
            }
            return permit
        }
        #expect(permits.count == 10)
        #expect(!Self.tryLogin(&ledger, Self.attempt("reader", "meanwhile")))
        for permit in permits { _ = ledger.settle(permit, as: .wrong, at: Self.start) }
        let through = (0..<20).filter { Self.tryLogin(&ledger, Self.attempt("reader", "guess \($0)")) }
        #expect(through.count == 9)
    }

    @Test("An attempt counts from its admission, so parallel attempts do not exceed the limit")
    func unsettled() {
        var ledger = LoginAttemptLedger()
        let admitted = (0..<100).filter { number in
            if case .proceed = ledger.admit(
                Self.attempt("reader", "guess \(number)"), from: .unknownDevice, at: Self.start)
            {
                true
            } else {
                false
            }
        }
        #expect(admitted.count == 10)
    }

    @Test("Pitfall 9: an undecided attempt does not count")
    func undecided() {
        var ledger = LoginAttemptLedger()
        for number in 0..<1000 {
            #expect(Self.tryLogin(&ledger, Self.attempt("reader", "\(number)", from: "192.0.2.1"), as: .undecided))
        }
        #expect(ledger.count == 0)
    }

    @Test("A successful sign-in does not count and clears no other attempts")
    func right() {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        // An attacker signs in to an own account from the same address between attempts.
        var through = 0
        for number in 0..<500 {
            if Self.tryLogin(&ledger, Self.attempt("victim \(number)", from: "192.0.2.1")) { through += 1 }
            _ = Self.tryLogin(&ledger, Self.attempt("attacker", "right", from: "192.0.2.1"), as: .right)
        }
        #expect(through == 100)
        #expect(!Self.tryLogin(&ledger, Self.attempt("reader", "another")))
    }

    @Test("Pitfall 19: a reader's known device gets in after other clients exhaust the attempts")
    func ownDevice() {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let own = Self.attempt("reader", "right", device: "phone")
        #expect(ledger.admit(own, from: .unresolved, at: Self.start) == .dependsOnDeviceTrust)
        #expect(!Self.tryLogin(&ledger, own, from: .unknownDevice))
        #expect(Self.tryLogin(&ledger, own, from: .knownDevice, as: .right))
    }

    @Test("A known device has a separate limit")
    func ownDeviceLimit() {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let through = (0..<100).filter {
            Self.tryLogin(&ledger, Self.attempt("reader", "typo \($0)", device: "phone"), from: .knownDevice)
        }
        #expect(through.count == 5)
    }

    @Test("Pitfall 19: an attacker behind the reader's address does not lock out the reader's device")
    func sharedAddress() {
        var ledger = LoginAttemptLedger()
        for number in 0..<200 { _ = Self.tryLogin(&ledger, Self.attempt("victim \(number)", from: "192.0.2.1")) }
        let own = Self.attempt("reader", "right", device: "phone", from: "192.0.2.1")
        #expect(!Self.tryLogin(&ledger, own, from: .unknownDevice))
        #expect(Self.tryLogin(&ledger, own, from: .knownDevice, as: .right))
    }

    @Test("Pitfall 19: an address from which the reader recently signed in gets in, with a separate limit")
    func ownAddress() {
        var ledger = LoginAttemptLedger()
        #expect(Self.tryLogin(&ledger, Self.attempt("reader", "right", from: "2001:db8::1"), as: .right))
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        #expect(!Self.tryLogin(&ledger, Self.attempt("reader", "right", from: "2001:db8:0:1::1")))
        let through = (0..<100).filter {
            Self.tryLogin(&ledger, Self.attempt("reader", "typo \($0)", from: "2001:db8::\(String($0, radix: 16))"))
        }
        #expect(through.count == 5)
        let nextDay = Self.start + 86_400
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "new \(number)"), at: nextDay)) }
        #expect(!Self.tryLogin(&ledger, Self.attempt("reader", "right", from: "2001:db8::1"), at: nextDay))
    }

    @Test("Attempts from an unknown address are limited by the reader's counter only")
    func unknownAddress() {
        var ledger = LoginAttemptLedger()
        let through = (0..<1000).filter { Self.tryLogin(&ledger, Self.attempt("reader \($0)")) }
        #expect(through.count == 1000)
    }

    @Test("Timestamps out of order do not shorten a wait")
    func clockTolerance() {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("reader", "guess \(number)"))) }
        let through = (0..<10_000).filter {
            Self.tryLogin(
                &ledger, Self.attempt("reader", "fast \($0)"), at: Self.start + ($0.isMultiple(of: 2) ? 0 : 1))
        }
        #expect(through.isEmpty)
    }

    @Test("Memory is bounded, and filling it does not reset a reader's counter")
    func bounded() {
        var ledger = LoginAttemptLedger(limits: LoginThrottleLimits(capacity: 1000))
        for number in 0..<10 { #expect(Self.tryLogin(&ledger, Self.attempt("victim", "guess \(number)"))) }
        for number in 0..<20_000 {
            _ = Self.tryLogin(&ledger, Self.attempt("filler \(number)", from: "10.1.\(number / 250).\(number % 250)"))
        }
        #expect(ledger.count <= 9 * 1000)
        #expect(!Self.tryLogin(&ledger, Self.attempt("victim", "another")))
    }

    @Test("Random sequences of attempts never exceed the limit of a reader")
    func property() {
        var random = SeededRandom(seed: 19)
        var ledger = LoginAttemptLedger()
        var timestamp = Self.start
        var wrong: [String: Int] = [:]
        for number in 0..<20_000 {
            timestamp += TimeInterval(Int.random(in: 0...1, using: &random))
            let reader = "reader \(Int.random(in: 0..<20, using: &random))"
            let attempt = Self.attempt(reader, "\(number)", from: "10.0.0.\(Int.random(in: 0..<200, using: &random))")
            let outcome: LoginAttemptOutcome = [.wrong, .wrong, .undecided].randomElement(using: &random) ?? .wrong
            if Self.tryLogin(&ledger, attempt, at: timestamp, as: outcome), outcome == .wrong {
                wrong[reader, default: 0] += 1
            }
        }
        let elapsed = timestamp - Self.start
        for (_, count) in wrong { #expect(Double(count) <= 10 + elapsed / 90 + 1) }
    }
}
