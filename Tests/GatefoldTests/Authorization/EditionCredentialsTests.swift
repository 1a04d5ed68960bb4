import Commerce
import EdgeTokens
import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Edition credentials")
struct EditionCredentialsTests {
    @Test("Issues credentials for entitled editions only, by state", arguments: SubscriptionState.allCases)
    func states(_ state: SubscriptionState) async throws {
        let harness = AuthorizationHarness()
        harness.backend.response(Subscription(state: state, entitlement: .editions([.first])))
        let token = try await harness.token()
        let response = try await harness.credentials(token)
        switch state {
        case .active, .inactive: #expect(try harness.gate(response.pair).isAccepted)
        case .suspended: #expect(response.rejection?.reason == .notEntitled)
        case .unknown: #expect(response.rejection?.reason == .rejected)
        case .stale: #expect(response.rejection?.reason == .expired)
        }
        #expect(try await harness.credentials(token, EditionID.second.rawValue).pair == nil)
    }

    @Test("Denies a request without a valid edition", arguments: [nil, "", "  ", "mag:2024", "../x", "a/b"])
    func noEdition(_ edition: String?) async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        #expect(try await harness.credentials(try await harness.token(), edition).rejection?.reason == .notEntitled)
    }

    @Test("Credentials live as long as configured and no longer than the minute in which the token expires")
    func lifetime() async throws {
        let harness = AuthorizationHarness(policy: .accessBased) {
            $0.lifetimes = Lifetimes(token: 600, editionCredentials: 120)
        }
        let token = try await harness.token()
        let pair = try await harness.credentials(token).pair
        harness.clock.advance(by: 119)
        #expect(try harness.gate(pair).isAccepted)
        harness.clock.advance(by: 1)
        #expect(try !harness.gate(pair).isAccepted)
        harness.clock.advance(by: 420)
        let last = try await harness.credentials(token).pair
        harness.clock.advance(by: 60)
        #expect(try !harness.gate(last).isAccepted)
    }

    @Test("A free edition is open to every valid token, regardless of the backend's result or an outage")
    func free() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "One", published: .after(-1), isFree: true)])
        let harness = AuthorizationHarness(catalogue: catalogue)
        let token = try await harness.token()
        harness.backend.response(Subscription(state: .suspended))
        #expect(try await harness.credentials(token).pair != nil)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair != nil)
        #expect(try await harness.credentials("forged").pair == nil)
    }

    @Test("Edge tokens accompany the credentials, with all cookies in one header")
    func edge() async throws {
        let tokens = try [
            AkamaiEdgeToken(key: Secret(AkamaiEdgeTokenTests.key), scope: .acl(["/{edition}/*"])),
            AkamaiEdgeToken(key: Secret(AkamaiEdgeTokenTests.key), scope: .acl(["/covers/*"])),
        ]
        let shared = try StaticEdgeHeader(name: "X-Edge", value: "word")
        let harness = AuthorizationHarness(policy: .accessBased) {
            $0.edgeToken = JoinedEdgeTokens([tokens[0], shared, tokens[1]])
        }
        guard case .granted(_, let headers, _) = try await harness.credentials(try await harness.token()) else {
            Issue.record("refused")
            return
        }
        #expect(headers.map(\.name) == ["Cookie", "X-Edge"])
        #expect(headers.first?.value.components(separatedBy: "; ").count == 2)
    }
}

@Suite("Fail open during a backend outage")
struct FailOpenTests {
    private func harness(_ failsOpen: Bool = true) -> AuthorizationHarness {
        let harness = AuthorizationHarness {
            $0.failsOpen = failsOpen
            $0.lifetimes = Lifetimes(
                token: 3600, renewalWindow: 3600, editionCredentials: 3600, failOpenCredentials: 120)
        }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        return harness
    }

    @Test("Pitfall 10: denies credentials in an outage unless the publication fails open")
    func offByDefault() async throws {
        let harness = harness(false)
        let token = try await harness.token()
        harness.backend.startOutage()
        let rejection = try await harness.credentials(token).rejection
        #expect(rejection?.reason == .notEntitled && rejection?.retryAfter == 17)
        #expect(AuthorizationHarness().authorizationService.publication.failsOpen == false)
    }

    @Test("Pitfall 10: a valid token gets short-lived, counted credentials in an outage, and nothing else is allowed")
    func failsOpen() async throws {
        let harness = harness()
        let token = try await harness.token()
        harness.backend.startOutage()
        let pair = try await harness.credentials(token).pair
        #expect(try harness.gate(pair).isAccepted)
        let opened = harness.events.all.filter { if case .failedOpen = $0 { true } else { false } }
        #expect(opened.count == 1)
        harness.clock.advance(by: 120)
        #expect(try !harness.gate(pair).isAccepted)
        await #expect(throws: Unavailable.self) { try await harness.verify(token) }
        await #expect(throws: Unavailable.self) { try await harness.signIn() }
        await #expect(throws: Unavailable.self) {
            try await harness.authorizationService.renew(token: token, CallContext())
        }
        #expect(try await harness.credentials(token, nil).pair == nil)
        #expect(try await harness.credentials(token, "mag:2024").pair == nil)
    }

    @Test("Pitfall 10: denies an edition outside the catalogue in an outage too")
    func unknownEdition() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "First", published: .distantPast)])
        let harness = AuthorizationHarness(catalogue: catalogue) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await harness.token()
        harness.backend.startOutage()
        #expect(try await harness.credentials(token, "com.example.made-up").pair == nil)
        #expect(try await harness.credentials(token, EditionID.first.rawValue).pair != nil)
    }

    @Test("Pitfall 10: credentials issued in an outage expire even where plain salts are issued")
    func plainSalts() async throws {
        let harness = AuthorizationHarness {
            $0.failsOpen = true
            $0.saltFormat = .plain
            $0.lifetimes.failOpenCredentials = 120
        }
        let token = try await harness.token()
        harness.backend.startOutage()
        let pair = try #require(try await harness.credentials(token).pair)
        let verifier = EditionCredentialsVerifier(
            publication: .daily, secrets: SecretRing(current: .two), acceptsPlainSalts: true, resumeWindow: 0)
        func isAccepted() -> Bool {
            verifier.verify(pair, for: .first, at: harness.clock.now, revocations: harness.revocations).isAccepted
        }
        #expect(isAccepted())
        harness.clock.advance(by: 180)
        #expect(!isAccepted())
    }

    @Test("Pitfall 10: rejects forged, expired, revoked, malformed and foreign tokens in an outage")
    func badTokens() async throws {
        let harness = harness()
        let token = try await harness.token()
        let revoked = try await harness.token()
        try await harness.authorizationService.signOut(token: revoked, CallContext())
        let other = try await AuthorizationHarness(.weekly).token()
        let forged = try SealedTokenCodec(
            publication: .daily, secrets: SecretRing(current: Secret("another secret, not ours")), random: .seeded(1)
        ).seal(.sample(expiresAt: .after(9999)))
        harness.backend.startOutage()
        for bad in ["", "x", revoked, other, forged, token + "A", String(token.dropLast()), token.uppercased()] {
            #expect(try await harness.credentials(bad).pair == nil)
        }
        harness.clock.advance(by: 3600)
        #expect(try await harness.credentials(token).rejection?.reason == .expired)
    }

    @Test("Pitfall 9: an explicit denial of the edition persists through the outage")
    func deniedEdition() async throws {
        let harness = harness()
        let token = try await harness.token()
        #expect(try await harness.credentials(token, EditionID.second.rawValue).pair == nil)
        #expect(try await harness.credentials(token).pair != nil)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token, EditionID.second.rawValue).pair == nil)
        #expect(try await harness.credentials(token).pair != nil)
    }

    @Test(
        "Pitfall 9: a reader whose last known state is not active gets nothing in the outage",
        arguments: [SubscriptionState.inactive, .suspended, .unknown, .stale])
    func deniedReader(_ state: SubscriptionState) async throws {
        let harness = harness()
        let token = try await harness.token()
        #expect(try await harness.credentials(token).pair != nil)
        harness.backend.response(Subscription(state: state))
        _ = try await harness.verify(token)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair == nil)
        #expect(try await harness.credentials(token, EditionID.third.rawValue).pair == nil)
        // The reader is active again, so the next outage finds no denial.
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        _ = try await harness.verify(token)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: a last known good result in an outage does not undo a later denial")
    func earlierResults() async throws {
        let harness = harness()
        let token = try await harness.token()
        harness.backend.response(Subscription(state: .suspended))
        _ = try await harness.verify(token)
        // For example, a result cached for another session of the reader.
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])), .stale)
        #expect(try await harness.verify(token).state == .active)
        _ = try await harness.credentials(token)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair == nil)
    }

    @Test("Pitfall 9: a configuration reload in an outage removes no denial")
    func denialsOutliveTheConfiguration() async throws {
        let denials = DenialCache()
        let backend = ScriptedBackend()
        let before = AuthorizationHarness(backend: backend, denials: denials) { $0.failsOpen = true }
        let token = try await before.token()
        backend.response(Subscription(state: .inactive))
        _ = try await before.verify(token)
        backend.startOutage()
        let after = AuthorizationHarness(backend: backend, denials: denials) { $0.failsOpen = true }
        #expect(try await after.credentials(token).pair == nil)
        let forgetful = AuthorizationHarness(backend: backend) { $0.failsOpen = true }
        #expect(try await forgetful.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: a denial in one publication applies in every other one that queries the same backend")
    func deniedElsewhere() async throws {
        let denials = DenialCache()
        let backend = ScriptedBackend()
        let daily = AuthorizationHarness(backend: backend, denials: denials)
        let weekly = AuthorizationHarness(.weekly, backend: backend, denials: denials) { $0.failsOpen = true }
        let (reported, token) = (try await daily.token(), try await weekly.token())
        backend.response(Subscription(state: .suspended))
        _ = try await daily.verify(reported)
        backend.startOutage()
        #expect(try await weekly.credentials(token).pair == nil)
    }

    @Test("Pitfall 9: a request before the publication date records no denial")
    func comesOutInTheOutage() async throws {
        let catalogue = Catalogue([Edition(id: .first, title: "Six o'clock", published: .after(60))])
        let harness = AuthorizationHarness(catalogue: catalogue) { $0.failsOpen = true }
        harness.backend.response(Subscription(state: .active, entitlement: .editions([.first])))
        let token = try await harness.token()
        #expect(try await harness.credentials(token).pair == nil)
        harness.clock.advance(by: 60)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair != nil)
    }

    @Test("Pitfall 9: a denial of an edition that was free for a while persists through the outage")
    func freeForAWhile() async throws {
        let (backend, denials) = (ScriptedBackend(), DenialCache())
        func harness(isFree: Bool) -> AuthorizationHarness {
            let edition = Edition(id: .first, title: "One", published: .after(-1), isFree: isFree)
            return AuthorizationHarness(catalogue: Catalogue([edition]), backend: backend, denials: denials) {
                $0.failsOpen = true
            }
        }
        backend.response(Subscription(state: .active, entitlement: .editions([.second])))
        let sold = harness(isFree: false)
        let token = try await sold.token()
        #expect(try await sold.credentials(token).pair == nil)
        #expect(try await harness(isFree: true).credentials(token).pair != nil)
        backend.startOutage()
        #expect(try await harness(isFree: false).credentials(token).pair == nil)
    }

    @Test("Pitfall 9: a temporary purchase does not remove the backend's denial")
    func boughtForAWhile() async throws {
        let (backend, denials) = (ScriptedBackend(), DenialCache())
        func harness(isBought: Bool) -> AuthorizationHarness {
            let verifier = ScriptedVerifier()
            let purchase = StoreTransaction(
                store: verifier.store, id: "1", original: "1", product: EditionID.first.rawValue,
                purchased: .after(-1), environment: .production, reported: .after(-1))
            let purchaseService = PurchaseService(
                publication: .daily, products: ProductRules(), verifiers: [verifier],
                ledger: BrokenLedger(reporting: { _ in isBought ? [purchase] : [] }), clock: ManualClock().wall)
            let edition = Edition(id: .first, title: "One", published: .after(-1))
            return AuthorizationHarness(
                catalogue: Catalogue([edition]), backend: backend, denials: denials, purchases: purchaseService
            ) { $0.failsOpen = true }
        }
        backend.response(Subscription(state: .active, entitlement: .editions([.second])))
        let before = harness(isBought: false)
        let token = try await before.token()
        #expect(try await before.credentials(token).pair == nil)
        #expect(try await harness(isBought: true).credentials(token).pair != nil)
        backend.startOutage()
        #expect(try await harness(isBought: false).credentials(token).pair == nil)
    }

    @Test("Pitfall 9: a rejected renewal counts as a denial")
    func rejectedRenewal() async throws {
        let harness = harness()
        let token = try await harness.token()
        harness.backend.response(Subscription(state: .unknown))
        #expect(try await harness.authorizationService.renew(token: token, CallContext()).token == nil)
        harness.backend.startOutage()
        #expect(try await harness.credentials(token).pair == nil)
    }
}
