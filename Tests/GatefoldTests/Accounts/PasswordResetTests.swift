import Accounts
import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Password reset") struct PasswordResetTests {
    @Test("A reset token sets a new password once and ends all sessions")
    func once() async throws {
        let harness = AccountHarness()
        let token = try await harness.register(device: "phone")
        let pair = try await harness.pair(token)
        let reset = try #require(try await harness.accountService.resetPassword(of: " ADA@example.com", CallContext()))
        #expect(reset.identifier == AccountHarness.ada && reset.account?.number == 1)
        #expect(
            try await harness.accountService.setPassword("other password", resetToken: reset.resetToken)?.number == 1)
        #expect(!harness.isGood(token))
        #expect(try !harness.opensGate(pair))
        #expect(try await harness.signIn() == nil)
        let again = try #require(try await harness.signIn(AccountHarness.ada, "other password", device: "phone"))
        // A used reset token ends no session either.
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await harness.accountService.setPassword("third password", resetToken: reset.resetToken)
        }
        #expect(harness.isGood(again))
    }

    @Test("A reset token is invalid after its expiry, after a password change and after use of another reset token")
    func over() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        let resetToken = try await harness.resetToken()
        harness.clock.advance(by: 3599)
        let later = try await harness.resetToken()
        harness.clock.advance(by: 1)
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await harness.accountService.setPassword("other password", resetToken: resetToken)
        }
        try await harness.change(token)
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await harness.accountService.setPassword("third password", resetToken: later)
        }
        let two = (try await harness.resetToken(), try await harness.resetToken())
        try await harness.accountService.setPassword("third password", resetToken: two.1)
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await harness.accountService.setPassword("fourth password", resetToken: two.0)
        }
    }

    @Test("Rejects a reset token of another publication, of another backend and in any other format")
    func elsewhere() async throws {
        let readers = InMemorySubscribers()
        let harness = AccountHarness(readers: readers)
        let other = AccountHarness(.weekly, readers: readers)
        try await harness.register()
        let resetToken = try await harness.resetToken()
        for text in [
            "", "x", resetToken + "A", String(resetToken.dropLast()), try #require(try await harness.signIn()),
        ] {
            await #expect(throws: AccountError.resetTokenInvalid) {
                try await harness.accountService.setPassword("other password", resetToken: text)
            }
        }
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await other.accountService.setPassword("other password", resetToken: resetToken)
        }
        let renamed = AccountHarness(readers: InMemorySubscribers(name: "others"))
        try await renamed.register()
        await #expect(throws: AccountError.resetTokenInvalid) {
            try await renamed.accountService.setPassword("other password", resetToken: resetToken)
        }
        await #expect(throws: AccountError.unacceptablePassword) {
            try await harness.accountService.setPassword("short", resetToken: resetToken)
        }
        // A request for a reset token does not sign in, and the reset token is not a session token.
        #expect(!harness.isGood(resetToken))
        try await harness.accountService.setPassword("other password", resetToken: resetToken)
    }

    @Test("An unknown identifier gets no reset token, and a known one gets a limited number across all addresses")
    func limits() async throws {
        let harness = AccountHarness(registrationThrottle: LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 5)))
        try await harness.register()
        #expect(try await harness.accountService.resetPassword(of: "nobody@example.com", CallContext()) == nil)
        #expect(try await harness.accountService.resetPassword(of: " ", CallContext()) == nil)
        #expect(
            try await harness.accountService.resetPassword(of: String(repeating: "a", count: 2000), CallContext())
                == nil)
        var mailed = 0
        for number in 0..<20 {
            let context = CallContext(client: ClientAddress("198.51.100.\(number)"))
            do {
                if try await harness.accountService.resetPassword(of: AccountHarness.ada, context) != nil {
                    mailed += 1
                }
            } catch AccountError.throttled {}
        }
        #expect(mailed == 5)
        // The requests do not lock the reader out.
        #expect(try await harness.signIn() != nil)
    }

    @Test("A reset token remains valid after a backend failure during its use")
    func halfWay() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        let resetToken = try await harness.resetToken()
        for call in ["passwordMark", "setPassword"] {
            harness.readers.startOutage(call)
            await #expect(throws: Unavailable.self) {
                try await harness.accountService.setPassword("other password", resetToken: resetToken)
            }
        }
        #expect(!harness.isGood(token))
        harness.readers.startOutage()
        try await harness.accountService.setPassword("other password", resetToken: resetToken)
        #expect(try await harness.signIn(AccountHarness.ada, "other password") != nil)
        harness.readers.startOutage("subscriber")
        await #expect(throws: Unavailable.self) {
            try await harness.accountService.resetPassword(of: AccountHarness.ada, CallContext())
        }
    }

    @Test("An outage of the state does not show that a reader exists")
    func stateOutage() async throws {
        let harness = AccountHarness()
        try await harness.register()
        await harness.accountStore.startOutage()
        let reset = try await harness.accountService.resetPassword(of: AccountHarness.ada, CallContext())
        #expect(reset?.identifier == AccountHarness.ada)
        #expect(try await harness.accountService.resetPassword(of: "nobody@example.com", CallContext()) == nil)
    }
}
