import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Asking for edition credentials")
struct EditionCredentialsTests {
    @Test("gives what the subscription opens, and refuses the rest", arguments: SubscriptionState.allCases)
    func states(_ state: SubscriptionState) async throws {
        let rig = ProxyRig()
        rig.backend.answer(Subscription(state: state, entitlement: .editions([.first])))
        let token = try await rig.token()
        let answer = try await rig.credentials(token)
        switch state {
        case .active, .inactive: #expect(try rig.gate(answer.pair).isAccepted)
        case .suspended: #expect(answer.refusal?.reason == .notEntitled)
        case .unknown: #expect(answer.refusal?.reason == .notRecognised)
        case .stale: #expect(answer.refusal?.reason == .expired)
        }
        #expect(try await rig.credentials(token, EditionID.second.rawValue).pair == nil)
    }

    @Test("names no edition, or one that is none: refused", arguments: [nil, "", "  ", "mag:2024", "../x", "a/b"])
    func noEdition(_ edition: String?) async throws {
        let rig = ProxyRig(policy: .accessBased)
        #expect(try await rig.credentials(try await rig.token(), edition).refusal?.reason == .notEntitled)
    }

    @Test("Credentials live as long as the publication says, and no longer than the token's minute")
    func lifetime() async throws {
        let rig = ProxyRig(policy: .accessBased) { $0.lifetimes = Lifetimes(token: 600, editionCredentials: 120) }
        let token = try await rig.token()
        let pair = try await rig.credentials(token).pair
        rig.clock.advance(by: 119)
        #expect(try rig.gate(pair).isAccepted)
        rig.clock.advance(by: 1)
        #expect(try !rig.gate(pair).isAccepted)
        rig.clock.advance(by: 420)
        let last = try await rig.credentials(token).pair
        rig.clock.advance(by: 60)
        #expect(try !rig.gate(last).isAccepted)
    }

    @Test("A free edition is for every token holder, whatever the backend says or does not say")
    func free() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "One", published: .after(-1), isFree: true)])
        let rig = ProxyRig(catalogue: catalogue)
        let token = try await rig.token()
        rig.backend.answer(Subscription(state: .suspended))
        #expect(try await rig.credentials(token).pair != nil)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair != nil)
        #expect(try await rig.credentials("forged").pair == nil)
    }

    @Test("Edge tokens come with the credentials, and their cookies in one header")
    func edge() async throws {
        let tokens = try [
            AkamaiEdgeToken(key: Secret(AkamaiEdgeTokenTests.key), scope: .acl(["/{edition}/*"])),
            AkamaiEdgeToken(key: Secret(AkamaiEdgeTokenTests.key), scope: .acl(["/covers/*"])),
        ]
        let shared = try StaticEdgeHeader(name: "X-Edge", value: "word")
        let rig = ProxyRig(policy: .accessBased) { $0.edgeTokens = [tokens[0], shared, tokens[1]] }
        guard case .granted(_, let headers, _) = try await rig.credentials(try await rig.token()) else {
            Issue.record("refused")
            return
        }
        #expect(headers.map(\.name) == ["Cookie", "X-Edge"])
        #expect(headers.first?.value.components(separatedBy: "; ").count == 2)
    }
}

@Suite("While the backend can not be asked")
struct FailOpenTests {
    private func rig(_ failsOpen: Bool = true) -> ProxyRig {
        let rig = ProxyRig {
            $0.failsOpen = failsOpen
            $0.lifetimes = Lifetimes(
                token: 3600, renewalWindow: 3600, editionCredentials: 3600, failOpenCredentials: 120)
        }
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        return rig
    }

    @Test("Pitfall 10: nothing is given unless the publication says so")
    func offByDefault() async throws {
        let rig = rig(false)
        let token = try await rig.token()
        rig.backend.breakDown()
        let refusal = try await rig.credentials(token).refusal
        #expect(refusal?.reason == .notEntitled && refusal?.retryAfter == 17)
        #expect(ProxyRig().proxy.publication.failsOpen == false)
    }

    @Test("Pitfall 10: a good token gets credentials, short-lived and counted; nothing else is let through")
    func failsOpen() async throws {
        let rig = rig()
        let token = try await rig.token()
        rig.backend.breakDown()
        let pair = try await rig.credentials(token).pair
        #expect(try rig.gate(pair).isAccepted)
        let opened = rig.events.all.filter { if case .failedOpen = $0 { true } else { false } }
        #expect(opened.count == 1)
        rig.clock.advance(by: 120)
        #expect(try !rig.gate(pair).isAccepted)
        await #expect(throws: Unavailable.self) { try await rig.verify(token) }
        await #expect(throws: Unavailable.self) { try await rig.signIn() }
        await #expect(throws: Unavailable.self) { try await rig.proxy.renew(token: token, Inquiry()) }
        #expect(try await rig.credentials(token, nil).pair == nil)
        #expect(try await rig.credentials(token, "mag:2024").pair == nil)
    }

    @Test("Pitfall 10: an edition that the catalogue does not have is not given in an outage either")
    func unknownEdition() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "First", published: .distantPast)])
        let rig = ProxyRig(catalogue: catalogue) { $0.failsOpen = true }
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await rig.token()
        rig.backend.breakDown()
        #expect(try await rig.credentials(token, "com.example.made-up").pair == nil)
        #expect(try await rig.credentials(token, EditionID.first.rawValue).pair != nil)
    }

    @Test("Pitfall 10: where plain salts are issued, those of an outage end all the same")
    func plainSalts() async throws {
        let rig = ProxyRig {
            $0.failsOpen = true
            $0.saltForm = .plain
            $0.lifetimes.failOpenCredentials = 120
        }
        let token = try await rig.token()
        rig.backend.breakDown()
        let pair = try #require(try await rig.credentials(token).pair)
        let verifier = EditionCredentialsVerifier(
            publication: .daily, secrets: SecretRing(current: .two), acceptsPlainSalts: true, resumeWindow: 0)
        func isAccepted() -> Bool {
            verifier.verify(pair, for: .first, at: rig.clock.now, revocations: rig.revocations).isAccepted
        }
        #expect(isAccepted())
        rig.clock.advance(by: 180)
        #expect(!isAccepted())
    }

    @Test("Pitfall 10: forged, expired, revoked, malformed and other publications' tokens are refused")
    func badTokens() async throws {
        let rig = rig()
        let token = try await rig.token()
        let revoked = try await rig.token()
        try await rig.proxy.signOut(token: revoked, Inquiry())
        let other = try await ProxyRig(.weekly).token()
        let forged = try SealedTokenCodec(
            publication: .daily, secrets: SecretRing(current: Secret("another secret, not ours")), random: .seeded(1)
        ).seal(.sample(expiresAt: .after(9999)))
        rig.backend.breakDown()
        for bad in ["", "x", revoked, other, forged, token + "A", String(token.dropLast()), token.uppercased()] {
            #expect(try await rig.credentials(bad).pair == nil)
        }
        rig.clock.advance(by: 3600)
        #expect(try await rig.credentials(token).refusal?.reason == .expired)
    }

    @Test("Pitfall 9: an explicit refusal of the edition stays one through the outage")
    func refusedEdition() async throws {
        let rig = rig()
        let token = try await rig.token()
        #expect(try await rig.credentials(token, EditionID.second.rawValue).pair == nil)
        #expect(try await rig.credentials(token).pair != nil)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token, EditionID.second.rawValue).pair == nil)
        #expect(try await rig.credentials(token).pair != nil)
    }

    @Test(
        "Pitfall 9: a reader of whom the last word was not \"active\" gets nothing in the outage",
        arguments: [SubscriptionState.inactive, .suspended, .unknown, .stale])
    func refusedReader(_ state: SubscriptionState) async throws {
        let rig = rig()
        let token = try await rig.token()
        #expect(try await rig.credentials(token).pair != nil)
        rig.backend.answer(Subscription(state: state))
        _ = try await rig.verify(token)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair == nil)
        #expect(try await rig.credentials(token, EditionID.third.rawValue).pair == nil)
        // Back, and active again: the next outage finds a reader in good standing.
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        _ = try await rig.verify(token)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: the last known answer, given in an outage, undoes no refusal that came after it")
    func earlierAnswers() async throws {
        let rig = rig()
        let token = try await rig.token()
        rig.backend.answer(Subscription(state: .suspended))
        _ = try await rig.verify(token)
        // Of another session of the reader, say.
        rig.backend.answer { _ in
            StandIns.note()
            return Subscription(state: .active, entitlement: .editions([.first]))
        }
        #expect(try await rig.verify(token).state == .active)
        _ = try await rig.credentials(token)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair == nil)
    }

    @Test("Pitfall 9: reading the configuration again in an outage forgives nobody")
    func refusalsOutliveTheConfiguration() async throws {
        let denials = DenialCache()
        let backend = ScriptedBackend()
        let before = ProxyRig(backend: backend, denials: denials) { $0.failsOpen = true }
        let token = try await before.token()
        backend.answer(Subscription(state: .inactive))
        _ = try await before.verify(token)
        backend.breakDown()
        let after = ProxyRig(backend: backend, denials: denials) { $0.failsOpen = true }
        #expect(try await after.credentials(token).pair == nil)
        let forgetful = ProxyRig(backend: backend) { $0.failsOpen = true }
        #expect(try await forgetful.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: whom a system refused in one publication it refused in every other that asks it")
    func refusedElsewhere() async throws {
        let denials = DenialCache()
        let backend = ScriptedBackend()
        let daily = ProxyRig(backend: backend, denials: denials)
        let weekly = ProxyRig(.weekly, backend: backend, denials: denials) { $0.failsOpen = true }
        let (told, token) = (try await daily.token(), try await weekly.token())
        backend.answer(Subscription(state: .suspended))
        _ = try await daily.verify(told)
        backend.breakDown()
        #expect(try await weekly.credentials(token).pair == nil)
    }

    @Test("Pitfall 9: an edition that was asked for before it came out was refused by nobody")
    func comesOutInTheOutage() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "Six o'clock", published: .after(60))])
        let rig = ProxyRig(catalogue: catalogue) { $0.failsOpen = true }
        rig.backend.answer(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await rig.token()
        #expect(try await rig.credentials(token).pair == nil)
        rig.clock.advance(by: 60)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: a refusal of an edition that was free for a while stays one through the outage")
    func freeForAWhile() async throws {
        let (backend, denials) = (ScriptedBackend(), DenialCache())
        func rig(isFree: Bool) -> ProxyRig {
            let edition = Edition(id: .first, title: "One", published: .after(-1), isFree: isFree)
            return ProxyRig(catalogue: Catalogue([edition]), backend: backend, denials: denials) {
                $0.failsOpen = true
            }
        }
        backend.answer(Subscription(state: .active, entitlement: .editions([.second])))
        let sold = rig(isFree: false)
        let token = try await sold.token()
        #expect(try await sold.credentials(token).pair == nil)
        #expect(try await rig(isFree: true).credentials(token).pair != nil)
        backend.breakDown()
        #expect(try await rig(isFree: false).credentials(token).pair == nil)
    }

    @Test("Pitfall 9: what a purchase opened for a while leaves the subscriber system's refusal as it was")
    func boughtForAWhile() async throws {
        let (backend, denials) = (ScriptedBackend(), DenialCache())
        func rig(isBought: Bool) -> ProxyRig {
            let verifier = ScriptedVerifier()
            let purchase = StoreTransaction(
                store: verifier.store, id: "1", original: "1", product: EditionID.first.rawValue,
                purchased: .after(-1), environment: .production, told: .after(-1))
            let desk = PurchaseDesk(
                publication: .daily, products: ProductRules(), verifiers: [verifier],
                ledger: BrokenLedger(telling: { _ in isBought ? [purchase] : [] }), clock: ManualClock().wall)
            let edition = Edition(id: .first, title: "One", published: .after(-1))
            return ProxyRig(
                catalogue: Catalogue([edition]), backend: backend, denials: denials, purchases: desk
            ) { $0.failsOpen = true }
        }
        backend.answer(Subscription(state: .active, entitlement: .editions([.second])))
        let before = rig(isBought: false)
        let token = try await before.token()
        #expect(try await before.credentials(token).pair == nil)
        #expect(try await rig(isBought: true).credentials(token).pair != nil)
        backend.breakDown()
        #expect(try await rig(isBought: false).credentials(token).pair == nil)
    }

    @Test("Pitfall 9: a refused renewal is a refusal too")
    func refusedRenewal() async throws {
        let rig = rig()
        let token = try await rig.token()
        rig.backend.answer(Subscription(state: .unknown))
        #expect(try await rig.proxy.renew(token: token, Inquiry()).token == nil)
        rig.backend.breakDown()
        #expect(try await rig.credentials(token).pair == nil)
    }
}
