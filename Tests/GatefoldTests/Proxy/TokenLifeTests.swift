import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("The life of a token")
struct TokenLifeTests {
    @Test("is good, then renewable, then over, each from its very second")
    func boundaries() async throws {
        let rig = ProxyRig { $0.lifetimes = Lifetimes(token: 100, renewalWindow: 50) }
        let token = try await rig.token()
        rig.clock.advance(by: 99)
        #expect(try await rig.verify(token).state == .active)
        rig.clock.advance(by: 1)
        #expect(try await rig.verify(token).state == .stale)
        #expect(try await rig.credentials(token).refusal?.reason == .expired)
        #expect(try await rig.proxy.renew(token: token, Inquiry()).token != nil)
        rig.clock.advance(by: 49)
        #expect(try await rig.proxy.renew(token: token, Inquiry()).token != nil)
        rig.clock.advance(by: 1)
        #expect(try await rig.verify(token).state == .unknown)
        #expect(try await rig.proxy.renew(token: token, Inquiry()).refusal?.reason == .notRecognised)
        #expect(try await rig.credentials(token).refusal?.reason == .expired)
    }

    @Test("Pitfall 21: is over for good once its end may be forgotten, whatever the window and the clock say")
    func endForgotten() async throws {
        let rig = ProxyRig(policy: .accessBased) { $0.lifetimes = Lifetimes(token: 100, renewalWindow: 1_000_000) }
        let (token, begin) = (try await rig.token(), rig.clock.now)
        let pair = try await rig.credentials(token).pair
        rig.revocations.discard(expiredBy: begin + 99)
        #expect(try await rig.verify(token).state == .active)
        #expect(try rig.gate(pair).isAccepted)
        // A salt is good to the end of its minute.
        rig.revocations.discard(expiredBy: begin + 160)
        #expect(try await rig.verify(token).state != .active)
        #expect(try await rig.proxy.renew(token: token, Inquiry()).token == nil)
        #expect(try !rig.gate(pair).isAccepted)
    }

    @Test("Pitfall 7: a token of a system that is no longer asked is nobody's, whoever has that key in the new one")
    func otherBackend() async throws {
        let before = ProxyRig(backend: ScriptedBackend(name: "old"))
        let after = ProxyRig(backend: ScriptedBackend(name: "new"))
        let token = try await before.token()
        #expect(try await before.verify(token).state == .active)
        #expect(try await after.verify(token).state == .unknown)
        #expect(try await after.credentials(token).refusal?.reason == .notRecognised)
        #expect(try await after.proxy.renew(token: token, Inquiry()).refusal?.reason == .notRecognised)
        #expect(after.backend.questions.isEmpty)
    }

    @Test("Missing and unreadable tokens are answers, and open nothing")
    func unreadable() async throws {
        let rig = ProxyRig(policy: .accessBased)
        let missing = try await rig.verify("")
        #expect(missing.state == .stale && missing.entitlement == .nothing)
        let unreadable = try await rig.verify("llaevitca")
        #expect(unreadable.state == .unknown && unreadable.entitlement == .nothing)
        for token in ["", "llaevitca", String(repeating: "A", count: 100_000)] {
            #expect(try await rig.credentials(token).refusal?.reason == .notRecognised)
            #expect(try await rig.proxy.renew(token: token, Inquiry()).refusal?.reason == .notRecognised)
            try await rig.proxy.signOut(token: token, Inquiry())
        }
        #expect(rig.backend.questions.isEmpty)
    }

    @Test("A reader the backend no longer knows is not renewed")
    func forgotten() async throws {
        let rig = ProxyRig()
        let token = try await rig.token()
        rig.backend.answer(Subscription(state: .unknown))
        #expect(try await rig.proxy.renew(token: token, Inquiry()).refusal?.reason == .notRecognised)
        rig.backend.breakDown()
        await #expect(throws: Unavailable.self) { try await rig.proxy.renew(token: token, Inquiry()) }
    }

    @Test("Pitfall 8: signing out ends the token, its renewals and its downloads, and signing in again works at once")
    func signOut() async throws {
        let rig = ProxyRig()
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await rig.token()
        let pair = try await rig.credentials(token).pair
        rig.clock.advance(by: 5)
        let renewed = try #require(try await rig.proxy.renew(token: token, Inquiry()).token)
        let other = try await rig.token()
        let later = try await rig.credentials(renewed).pair
        try await rig.proxy.signOut(token: renewed, Inquiry())
        for ended in [token, renewed] {
            #expect(try await rig.verify(ended).state == .unknown)
            #expect(try await rig.credentials(ended).refusal?.reason == .notRecognised)
            #expect(try await rig.proxy.renew(token: ended, Inquiry()).token == nil)
        }
        for pair in [pair, later] { #expect(try !rig.gate(pair).isAccepted) }
        // Another sign-in of the same reader is another session.
        #expect(try await rig.verify(other).state == .active)
        let again = try await rig.token()
        #expect(try await rig.verify(again).state == .active)
        #expect(try rig.gate(try await rig.credentials(again).pair).isAccepted)
    }

    @Test("Pitfall 8: a renewal under way while the reader signs out does not outlive it")
    func race() async throws {
        let rig = ProxyRig()
        let token = try await rig.token()
        rig.backend.answer { [rig] _ in
            try await rig.proxy.signOut(token: token, Inquiry())
            return Subscription(state: .active)
        }
        #expect(try await rig.proxy.renew(token: token, Inquiry()).token == nil)
    }

    @Test("Pitfall 8: a renewal before this process has heard of a revocation does not outlive it")
    func unheardRevocation() async throws {
        let rig = ProxyRig()
        let token = try await rig.token()
        rig.clock.advance(by: 60)
        let who = ReferenceKey(.one).reference(to: Subscriber(backend: "scripted", key: "jane@example.com"))
        let revocation = Revocation(publication: .daily, subscriber: who, session: nil, at: rig.clock.now)
        rig.clock.advance(by: 2)
        let renewed = try #require(try await rig.proxy.renew(token: token, Inquiry()).token)
        rig.revocations.add(revocation)
        #expect(try await rig.verify(renewed).state == .unknown)
        #expect(try await rig.proxy.renew(token: renewed, Inquiry()).token == nil)
        // Who signs in anew is not meant.
        #expect(try await rig.verify(try await rig.token()).state == .active)
    }

    @Test("A device that signs out and in again within one second is signed in")
    func sameSecond() async throws {
        let rig = ProxyRig { $0.deviceField = "device" }
        for _ in 0..<3 {
            let token = try await rig.token(device: "phone")
            #expect(try await rig.verify(token).state == .active)
            try await rig.proxy.signOut(token: token, Inquiry())
            #expect(try await rig.verify(token).state == .unknown)
        }
    }

    @Test("Signing out that could not be written down says so, and is not in force")
    func notWritten() async throws {
        let rig = ProxyRig(state: BrokenStateStore())
        let token = try await rig.token()
        await #expect(throws: Unavailable.self) { try await rig.proxy.signOut(token: token, Inquiry()) }
        #expect(try await rig.verify(token).state == .active)
    }

    @Test("Pitfall 8: a cancelled reader's next answer is the cancelled one, and a returning reader's the new one")
    func cancelled() async throws {
        let rig = ProxyRig()
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await rig.token()
        #expect(try await rig.credentials(token).pair != nil)
        rig.backend.answer(Subscription(state: .inactive))
        #expect(try await rig.verify(token).state == .inactive)
        #expect(try await rig.credentials(token).refusal?.reason == .notEntitled)
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        #expect(try await rig.verify(token).state == .active)
        #expect(try await rig.credentials(token).pair != nil)
    }

    @Test(
        "Pitfall 7: two publications with the same credentials ask their own backends, and refuse each other's tokens")
    func tenants() async throws {
        let daily = ProxyRig(.daily, backend: ScriptedBackend(name: "a"))
        let weekly = ProxyRig(.weekly, backend: ScriptedBackend(name: "b"))
        let token = try await daily.token()
        let other = try await weekly.token()
        #expect(daily.backend.questions == ["recognise"] && weekly.backend.questions == ["recognise"])
        #expect(try await daily.verify(other).state == .unknown)
        #expect(try await weekly.verify(token).state == .unknown)
        #expect(try await weekly.credentials(token).refusal?.reason == .notRecognised)
        #expect(try await weekly.proxy.renew(token: token, Inquiry()).token == nil)
        try await weekly.proxy.signOut(token: token, Inquiry())
        #expect(try await daily.verify(token).state == .active)
    }
}
