import Foundation
import Gatefold
import TestSupport
import Testing

/// A database may treat spellings as equal that have different skeletons. Attempts then count for the subscriber it
/// found.
@Suite("Login attempts at one subscriber under different spellings")
struct ThrottledSubscriberTests {
    private static let ada = PseudonymKey(.one).reference(to: Subscriber(backend: "house", key: "ada"))
    private static let bob = PseudonymKey(.one).reference(to: Subscriber(backend: "house", key: "bob"))

    private static func settle(
        _ ledger: inout LoginAttemptLedger, _ attempt: LoginAttempt, as outcome: LoginAttemptOutcome,
        of subscriber: SubscriberPseudonym = ada
    ) -> Bool? {
        guard
            case .proceed(let permit) = ledger.admit(attempt, from: .unknownDevice, at: LoginThrottleLedgerTests.start)
        else {
            return nil
        }
        return ledger.settle(permit, as: outcome, of: [subscriber], at: LoginThrottleLedgerTests.start).holds
    }

    @Test("Pitfall 22: after ten wrong attempts, no spelling succeeds for that subscriber, and others still do")
    func usedUp() {
        var ledger = LoginAttemptLedger()
        for number in 0..<10 {
            let tryLogin = LoginThrottleLedgerTests.attempt("spelling \(number)", "guess \(number)")
            #expect(Self.settle(&ledger, tryLogin, as: .wrong) == true)
        }
        #expect(Self.settle(&ledger, LoginThrottleLedgerTests.attempt("another", "right"), as: .right) == false)
        #expect(
            Self.settle(&ledger, LoginThrottleLedgerTests.attempt("bob", "right"), as: .right, of: Self.bob) == true)
    }

    @Test("Pitfall 19: a correct attempt still succeeds from an address from which the reader recently signed in")
    func ownAddress() {
        var ledger = LoginAttemptLedger()
        let own = LoginThrottleLedgerTests.attempt("ada", "right", from: "192.0.2.1")
        #expect(Self.settle(&ledger, own, as: .right) == true)
        for number in 0..<10 {
            _ = Self.settle(&ledger, LoginThrottleLedgerTests.attempt("spelling \(number)", "guess"), as: .wrong)
        }
        #expect(Self.settle(&ledger, own, as: .right) == true)
        let elsewhere = LoginThrottleLedgerTests.attempt("ada", "right", from: "192.0.2.2")
        #expect(Self.settle(&ledger, elsewhere, as: .right) == false)
    }

    @Test("A thousand attempts do not extend the wait beyond the window")
    func noLongerThanWindow() {
        var ledger = LoginAttemptLedger()
        for number in 0..<1_000 {
            _ = Self.settle(&ledger, LoginThrottleLedgerTests.attempt("spelling \(number)", "guess"), as: .wrong)
        }
        let later = LoginThrottleLedgerTests.start + 90
        guard
            case .proceed(let permit) = ledger.admit(
                LoginThrottleLedgerTests.attempt("ada", "right"), from: .unknownDevice, at: later)
        else {
            Issue.record("not admitted")
            return
        }
        let settlement = ledger.settle(permit, as: .right, of: [Self.ada], at: later)
        #expect(settlement.holds)
    }

    @Test("A correct password is rejected with the same response as a wrong one, and a known device gets in")
    func signIn() async throws {
        let backend = ScriptedBackend()
        let jane = Subscriber(backend: backend.name, key: "jane")
        let harness = AuthorizationHarness(backend: backend, loginThrottle: LoginThrottle()) {
            $0.deviceField = "device"
        }
        backend.authenticateWith { credentials in
            credentials["password"] == "right"
                ? .authenticated(jane) : .rejected(message: nil, found: FoundSubscribers([jane]))
        }
        #expect(try await harness.signIn("first spelling", device: "phone").token != nil)
        for letter in "abcdfghijk" {
            let response = try await harness.signIn("spelling \(letter)", "wrong", device: "stranger")
            #expect(response.rejection?.reason == .rejected)
        }
        let right = try await harness.signIn("yet another", device: "stranger")
        let wrong = try await harness.signIn("and another", "wrong", device: "stranger")
        #expect(right == wrong && right.rejection?.reason == .rejected)
        #expect(try await harness.signIn("first spelling", device: "phone").token != nil)
    }
}
