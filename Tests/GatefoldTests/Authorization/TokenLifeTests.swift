import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Token lifetime")
struct TokenLifeTests {
    @Test("A token is valid, then renewable, then expired, each at the exact second")
    func boundaries() async throws {
        let harness = AuthorizationHarness { $0.lifetimes = Lifetimes(token: 100, renewalWindow: 50) }
        let token = try await harness.token()
        harness.clock.advance(by: 99)
        #expect(try await harness.verify(token).state == .active)
        harness.clock.advance(by: 1)
        #expect(try await harness.verify(token).state == .stale)
        #expect(try await harness.credentials(token).rejection?.reason == .expired)
        #expect(try await harness.authorizationService.renew(token: token, CallContext()).token != nil)
        harness.clock.advance(by: 49)
        #expect(try await harness.authorizationService.renew(token: token, CallContext()).token != nil)
        harness.clock.advance(by: 1)
        #expect(try await harness.verify(token).state == .unknown)
        #expect(
            try await harness.authorizationService.renew(token: token, CallContext()).rejection?.reason == .rejected)
        #expect(try await harness.credentials(token).rejection?.reason == .expired)
    }

    @Test("Pitfall 21: a token expires for good once its revocation may have been pruned, at any window and clock")
    func expiryForgotten() async throws {
        let harness = AuthorizationHarness(policy: .accessBased) {
            $0.lifetimes = Lifetimes(token: 100, renewalWindow: 1_000_000)
        }
        let (token, begin) = (try await harness.token(), harness.clock.now)
        let pair = try await harness.credentials(token).pair
        harness.revocations.discard(expiredBy: begin + 99)
        #expect(try await harness.verify(token).state == .active)
        #expect(try harness.gate(pair).isAccepted)
        // A salt is valid to the end of its minute.
        harness.revocations.discard(expiredBy: begin + 160)
        #expect(try await harness.verify(token).state != .active)
        #expect(try await harness.authorizationService.renew(token: token, CallContext()).token == nil)
        #expect(try !harness.gate(pair).isAccepted)
    }

    @Test("Pitfall 7: a token of a replaced backend is rejected, even if the new one has a subscriber with that key")
    func otherBackend() async throws {
        let before = AuthorizationHarness(backend: ScriptedBackend(name: "old"))
        let after = AuthorizationHarness(backend: ScriptedBackend(name: "new"))
        let token = try await before.token()
        #expect(try await before.verify(token).state == .active)
        #expect(try await after.verify(token).state == .unknown)
        #expect(try await after.credentials(token).rejection?.reason == .rejected)
        #expect(try await after.authorizationService.renew(token: token, CallContext()).rejection?.reason == .rejected)
        #expect(after.backend.queries.isEmpty)
    }

    @Test("Missing and unreadable tokens return a result and open nothing")
    func unreadable() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let missing = try await harness.verify("")
        #expect(missing.state == .stale && missing.entitlement == .nothing)
        let unreadable = try await harness.verify("llaevitca")
        #expect(unreadable.state == .unknown && unreadable.entitlement == .nothing)
        for token in ["", "llaevitca", String(repeating: "A", count: 100_000)] {
            #expect(try await harness.credentials(token).rejection?.reason == .rejected)
            #expect(
                try await harness.authorizationService.renew(token: token, CallContext()).rejection?.reason == .rejected
            )
            try await harness.authorizationService.signOut(token: token, CallContext())
        }
        #expect(harness.backend.queries.isEmpty)
    }

    @Test("A reader whom the backend no longer knows is not renewed")
    func forgotten() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.response(Subscription(state: .unknown))
        #expect(
            try await harness.authorizationService.renew(token: token, CallContext()).rejection?.reason == .rejected)
        harness.backend.startOutage()
        await #expect(throws: Unavailable.self) {
            try await harness.authorizationService.renew(token: token, CallContext())
        }
    }

    @Test("Pitfall 8: sign-out ends the token, its renewals and its downloads, and a new sign-in works at once")
    func signOut() async throws {
        let harness = AuthorizationHarness()
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await harness.token()
        let pair = try await harness.credentials(token).pair
        harness.clock.advance(by: 5)
        let renewed = try #require(try await harness.authorizationService.renew(token: token, CallContext()).token)
        let other = try await harness.token()
        let later = try await harness.credentials(renewed).pair
        try await harness.authorizationService.signOut(token: renewed, CallContext())
        for ended in [token, renewed] {
            #expect(try await harness.verify(ended).state == .unknown)
            #expect(try await harness.credentials(ended).rejection?.reason == .rejected)
            #expect(try await harness.authorizationService.renew(token: ended, CallContext()).token == nil)
        }
        for pair in [pair, later] { #expect(try !harness.gate(pair).isAccepted) }
        // Another sign-in of the same reader is another session.
        #expect(try await harness.verify(other).state == .active)
        let again = try await harness.token()
        #expect(try await harness.verify(again).state == .active)
        #expect(try harness.gate(try await harness.credentials(again).pair).isAccepted)
    }

    @Test("Pitfall 8: a renewal under way during the sign-out does not outlive it")
    func race() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.backend.response { [harness] _ in
            try await harness.authorizationService.signOut(token: token, CallContext())
            return Subscription(state: .active)
        }
        #expect(try await harness.authorizationService.renew(token: token, CallContext()).token == nil)
    }

    @Test("Pitfall 8: a renewal made before this process received the revocation does not outlive it")
    func unheardRevocation() async throws {
        let harness = AuthorizationHarness()
        let token = try await harness.token()
        harness.clock.advance(by: 60)
        let pseudonym = PseudonymKey(.one).reference(to: Subscriber(backend: "scripted", key: "jane@example.com"))
        let revocation = Revocation(publication: .daily, subscriber: pseudonym, session: nil, at: harness.clock.now)
        harness.clock.advance(by: 2)
        let renewed = try #require(try await harness.authorizationService.renew(token: token, CallContext()).token)
        harness.revocations.add(revocation)
        #expect(try await harness.verify(renewed).state == .unknown)
        #expect(try await harness.authorizationService.renew(token: renewed, CallContext()).token == nil)
        // A new sign-in is not affected.
        #expect(try await harness.verify(try await harness.token()).state == .active)
    }

    @Test("A device that signs out and in again within one second is signed in")
    func sameSecond() async throws {
        let harness = AuthorizationHarness { $0.deviceField = "device" }
        for _ in 0..<3 {
            let token = try await harness.token(device: "phone")
            #expect(try await harness.verify(token).state == .active)
            try await harness.authorizationService.signOut(token: token, CallContext())
            #expect(try await harness.verify(token).state == .unknown)
        }
    }

    @Test("A sign-out that could not be stored fails and leaves the token valid")
    func notWritten() async throws {
        let harness = AuthorizationHarness(state: BrokenStateStore())
        let token = try await harness.token()
        await #expect(throws: Unavailable.self) {
            try await harness.authorizationService.signOut(token: token, CallContext())
        }
        #expect(try await harness.verify(token).state == .active)
    }

    @Test("Pitfall 8: a cancellation and a reactivation take effect with the next request")
    func cancelled() async throws {
        let harness = AuthorizationHarness()
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await harness.token()
        #expect(try await harness.credentials(token).pair != nil)
        harness.backend.response(Subscription(state: .inactive))
        #expect(try await harness.verify(token).state == .inactive)
        #expect(try await harness.credentials(token).rejection?.reason == .notEntitled)
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        #expect(try await harness.verify(token).state == .active)
        #expect(try await harness.credentials(token).pair != nil)
    }

    @Test(
        "Pitfall 7: two publications query their own backends and reject each other's tokens")
    func tenants() async throws {
        let daily = AuthorizationHarness(.daily, backend: ScriptedBackend(name: "a"))
        let weekly = AuthorizationHarness(.weekly, backend: ScriptedBackend(name: "b"))
        let token = try await daily.token()
        let other = try await weekly.token()
        #expect(daily.backend.queries == ["authenticate"] && weekly.backend.queries == ["authenticate"])
        #expect(try await daily.verify(other).state == .unknown)
        #expect(try await weekly.verify(token).state == .unknown)
        #expect(try await weekly.credentials(token).rejection?.reason == .rejected)
        #expect(try await weekly.authorizationService.renew(token: token, CallContext()).token == nil)
        try await weekly.authorizationService.signOut(token: token, CallContext())
        #expect(try await daily.verify(token).state == .active)
    }
}
