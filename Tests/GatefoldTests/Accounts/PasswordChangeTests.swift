import Foundation
import TestSupport
import Testing

@testable import Accounts
@testable import Gatefold

@Suite("Password change") struct PasswordChangeTests {
    @Test("Keeps the session of this device and ends all others, also at the gate")
    func others() async throws {
        let harness = AccountHarness()
        let tablet = try await harness.register(device: "tablet")
        let phone = try #require(try await harness.signIn(device: "phone"))
        let web = try #require(try await harness.signIn())
        let pairs = (try await harness.pair(tablet), try await harness.pair(phone), try await harness.pair(web))
        harness.clock.advance(by: 60)
        try await harness.change(phone)
        #expect(harness.isGood(phone) && !harness.isGood(tablet) && !harness.isGood(web))
        #expect(try harness.opensGate(pairs.1))
        #expect(try !harness.opensGate(pairs.0))
        #expect(try !harness.opensGate(pairs.2))
        #expect(try await harness.authorizationService.renew(token: phone, CallContext()).token != nil)
        #expect(try await harness.authorizationService.renew(token: tablet, CallContext()).token == nil)
        #expect(try await harness.signIn() == nil)
        // A device that was signed out can sign in again in the same second.
        let again = try #require(try await harness.signIn(AccountHarness.ada, "other password", device: "tablet"))
        #expect(harness.isGood(again) && harness.isGood(phone))
        #expect(try harness.opensGate(try await harness.pair(again)))
    }

    @Test("After two changes on two devices, only the device of the last change is signed in")
    func twice() async throws {
        let harness = AccountHarness()
        let phone = try await harness.register(device: "phone")
        try await harness.change(phone)
        let tablet = try #require(try await harness.signIn(AccountHarness.ada, "other password", device: "tablet"))
        #expect(harness.isGood(phone) && harness.isGood(tablet))
        try await harness.change(tablet, from: "other password", to: "third password")
        #expect(!harness.isGood(phone) && harness.isGood(tablet))
        // Another change does not restore the ended session.
        try await harness.change(tablet, from: "third password", to: "fourth password")
        #expect(!harness.isGood(phone) && harness.isGood(tablet))
    }

    @Test("Requires the current password, a valid token and an acceptable new password")
    func rejected() async throws {
        let harness = AccountHarness()
        let token = try await harness.register()
        let other = try #require(try await harness.signIn())
        await #expect(throws: AccountError.wrongPassword) { try await harness.change(token, from: "a wrong one") }
        await #expect(throws: AccountError.unacceptablePassword) { try await harness.change(token, to: "short") }
        await #expect(throws: AccountError.notSignedIn) { try await harness.change("no token") }
        #expect(harness.isGood(other))
        let closed = AccountHarness(readers: InMemorySubscribers(isSelfService: false))
        _ = try await closed.readers.register(identifier: AccountHarness.ada, password: "first password")
        let there = try #require(try await closed.signIn())
        await #expect(throws: AccountError.notOffered) { try await closed.change(there) }
    }

    @Test("Login attempts by password change are throttled like sign-ins")
    func loginThrottle() async throws {
        let harness = AccountHarness(loginThrottle: LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 4)))
        let token = try await harness.register()
        var results: [AccountError] = []
        for number in 0..<6 {
            do {
                try await harness.change(token, from: "guess number \(number)")
            } catch let rejection as AccountError {
                results.append(rejection)
            }
        }
        #expect(results.prefix(3).allSatisfy { $0 == .wrongPassword })
        guard case .throttled = results.last else {
            Issue.record("\(results)")
            return
        }
    }

    @Test("Ends a session that the former password opened during the change")
    func latecomer() async throws {
        let harness = AccountHarness()
        let token = try await harness.register(device: "phone")
        let thief = Locked<String?>(nil)
        harness.readers.beforeSetting { [harness] in
            let late = try await harness.signIn()
            thief.withLock { $0 = late }
        }
        try await harness.change(token)
        let late = try #require(thief.withLock { $0 })
        #expect(!harness.isGood(late) && harness.isGood(token))
    }

    @Test("Rejects a sign-in with the former password that was authenticated just before the change")
    func inFlight() async throws {
        let harness = AccountHarness()
        let token = try await harness.register(device: "phone")
        harness.readers.afterAuthentication { [harness] in try await harness.change(token) }
        #expect(try await harness.signIn() == nil)
        #expect(harness.isGood(token))
        // The same holds for a reset by mail and for an erasure.
        let resetToken = try await harness.resetToken()
        harness.readers.afterAuthentication { [harness] in
            _ = try await harness.accountService.setPassword("third password", resetToken: resetToken)
        }
        #expect(try await harness.signIn(AccountHarness.ada, "other password") == nil)
        let last = try #require(try await harness.signIn(AccountHarness.ada, "third password"))
        harness.readers.afterAuthentication { [harness] in
            _ = try await harness.accountService.erase(token: last, password: "third password", CallContext())
        }
        #expect(try await harness.signIn(AccountHarness.ada, "third password") == nil)
    }

    @Test("A sign-in with the current password survives one concurrent revocation and fails if they continue")
    func signedOutMeanwhile() async throws {
        let harness = AccountHarness()
        let subscriber = try harness.subscriber(try await harness.register())
        @Sendable func endAll() {
            let reference = PseudonymKey(.one).reference(to: subscriber)
            let timestamp = harness.revocations.boundary(subscriber: reference)
            harness.revocations.add(
                Revocation(
                    publication: .daily, subscriber: reference, session: nil, at: max(timestamp, harness.clock.now)))
        }
        harness.readers.afterAuthentication { endAll() }
        let token = try #require(try await harness.signIn())
        #expect(harness.isGood(token))
        @Sendable func again() {
            endAll()
            harness.readers.afterAuthentication { again() }
        }
        harness.readers.afterAuthentication { again() }
        let failure = await #expect(throws: Unavailable.self) { try await harness.signIn() }
        #expect(failure?.retryAfter == 1)
    }

    @Test("Ends the sessions in publications that share the registry and keeps the session here")
    func sharedRegistryPublications() async throws {
        let state = InMemoryStateStore()
        let readers = InMemorySubscribers()
        let weekly = AccountHarness(.weekly, readers: readers, state: state)
        let harness = AccountHarness(
            readers: readers, state: state, sharedRegistryPublications: [weekly.revocations, weekly.revocations])
        let token = try await harness.register(device: "phone")
        let other = try #require(try await weekly.signIn(device: "phone"))
        harness.clock.advance(by: 60)
        weekly.clock.advance(by: 60)
        try await harness.change(token)
        #expect(harness.isGood(token) && !weekly.isGood(other))
        // Other nodes and the next start read the revocations from the store.
        let reported = Set(await state.revocations(after: 0).map(\.revocation.publication))
        #expect(reported == Set([PublicationID.daily, PublicationID.weekly]))
        #expect(try await weekly.signIn(AccountHarness.ada, "other password", device: "phone") != nil)
    }

    @Test("Of two concurrent changes from the same password, only one succeeds")
    func race() async throws {
        let harness = AccountHarness()
        let token = try await harness.register(device: "phone")
        let other = try #require(try await harness.signIn(device: "tablet"))
        harness.readers.beforeSetting { [harness] in
            let subscriber = Subscriber(backend: "readers", key: "1")
            let revision = try await harness.readers.passwordRevision(of: subscriber)
            _ = try await harness.readers.setPassword(
                "a thief's password", of: subscriber, replacing: try #require(revision))
        }
        await #expect(throws: AccountError.wrongPassword) { try await harness.change(token) }
        #expect(!harness.isGood(other))
        #expect(try await harness.signIn(AccountHarness.ada, "a thief's password") != nil)
    }

    @Test(
        "A store failure changes nothing; a failed password update still ends the other sessions")
    func halfWay() async throws {
        let broken = AccountHarness(state: BrokenStateStore())
        // Without a device, the sign-in does not call the store.
        let token = try await broken.register()
        await #expect(throws: Unavailable.self) { try await broken.change(token) }
        #expect(try await broken.signIn() != nil)
        let harness = AccountHarness()
        let phone = try await harness.register(device: "phone")
        let tablet = try #require(try await harness.signIn(device: "tablet"))
        harness.readers.startOutage("setPassword")
        await #expect(throws: Unavailable.self) { try await harness.change(phone) }
        #expect(harness.isGood(phone) && !harness.isGood(tablet))
        #expect(try await harness.signIn(device: "tablet") != nil)
        harness.readers.startOutage()
        try await harness.change(phone)
    }
}
