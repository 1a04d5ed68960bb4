import Foundation
import Gatefold
import TestSupport
import Testing

/// A database may take spellings for one that no skeleton knows of: then the subscriber whom it found is what counts.
@Suite("Guesses at a subscriber under unlike spellings")
struct GuessedSubscriberTests {
    private static let ada = ReferenceKey(.one).reference(to: Subscriber(backend: "house", key: "ada"))
    private static let bob = ReferenceKey(.one).reference(to: Subscriber(backend: "house", key: "bob"))

    private static func settle(
        _ ledger: inout GuessLedger, _ attempt: GuessAttempt, as outcome: GuessOutcome,
        of subscriber: SubscriberReference = ada
    ) -> Bool? {
        guard case .proceed(let ticket) = ledger.admit(attempt, from: .stranger, at: GuessLedgerTests.start) else {
            return nil
        }
        return ledger.settle(ticket, as: outcome, of: [subscriber], at: GuessLedgerTests.start).holds
    }

    @Test("Pitfall 22: after ten wrong guesses a right one holds under no spelling; others' do")
    func usedUp() {
        var ledger = GuessLedger()
        for number in 0..<10 {
            let guess = GuessLedgerTests.attempt("spelling \(number)", "guess \(number)")
            #expect(Self.settle(&ledger, guess, as: .wrong) == true)
        }
        #expect(Self.settle(&ledger, GuessLedgerTests.attempt("another", "right"), as: .right) == false)
        #expect(Self.settle(&ledger, GuessLedgerTests.attempt("bob", "right"), as: .right, of: Self.bob) == true)
    }

    @Test("Pitfall 19: at an address from which the reader signed in lately it holds all the same")
    func ownAddress() {
        var ledger = GuessLedger()
        let own = GuessLedgerTests.attempt("ada", "right", from: "192.0.2.1")
        #expect(Self.settle(&ledger, own, as: .right) == true)
        for number in 0..<10 {
            _ = Self.settle(&ledger, GuessLedgerTests.attempt("spelling \(number)", "guess"), as: .wrong)
        }
        #expect(Self.settle(&ledger, own, as: .right) == true)
        let elsewhere = GuessLedgerTests.attempt("ada", "right", from: "192.0.2.2")
        #expect(Self.settle(&ledger, elsewhere, as: .right) == false)
    }

    @Test("Guesses without end lengthen no wait beyond the window")
    func noLongerThanWindow() {
        var ledger = GuessLedger()
        for number in 0..<1_000 {
            _ = Self.settle(&ledger, GuessLedgerTests.attempt("spelling \(number)", "guess"), as: .wrong)
        }
        let later = GuessLedgerTests.start + 90
        guard
            case .proceed(let ticket) = ledger.admit(
                GuessLedgerTests.attempt("ada", "right"), from: .stranger, at: later)
        else {
            Issue.record("not admitted")
            return
        }
        let settlement = ledger.settle(ticket, as: .right, of: [Self.ada], at: later)
        #expect(settlement.holds)
    }

    @Test("A right password is refused like a wrong one, by the same words, and a known device gets in")
    func signIn() async throws {
        let backend = ScriptedBackend()
        let jane = Subscriber(backend: backend.name, key: "jane")
        let rig = ProxyRig(backend: backend, guesses: GuessLimiter()) { $0.deviceField = "device" }
        backend.recogniseBy { credentials in
            credentials["password"] == "right"
                ? .recognised(jane) : .notRecognised(message: nil, found: FoundSubscribers([jane]))
        }
        #expect(try await rig.signIn("first spelling", device: "phone").token != nil)
        for letter in "abcdfghijk" {
            let answer = try await rig.signIn("spelling \(letter)", "wrong", device: "stranger")
            #expect(answer.refusal?.reason == .notRecognised)
        }
        let right = try await rig.signIn("yet another", device: "stranger")
        let wrong = try await rig.signIn("and another", "wrong", device: "stranger")
        #expect(right == wrong && right.refusal?.reason == .notRecognised)
        #expect(try await rig.signIn("first spelling", device: "phone").token != nil)
    }
}
