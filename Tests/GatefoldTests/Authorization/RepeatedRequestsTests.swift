import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

/// A request is decided anew each time, from what is known at that time.
@Suite("Repeated requests")
struct RepeatedRequestsTests {
    private let name = EditionID.first.rawValue

    @Test("Pitfall 9: a decision by the catalogue alone neither records nor removes a denial")
    func plainDecisions() async throws {
        func isIssued(_ fixture: Fixture, _ token: String) async throws -> Bool {
            try await fixture.service.editionCredentials(token: token, edition: name, CallContext()).pair != nil
        }
        // The edition is unpublished at first and published when the outage starts.
        let early = DenialCache()
        let before = Fixture(Catalogue([Self.edition(publishedAfter: 1)]), denials: early)
        let token = try await before.token()
        #expect(try await !isIssued(before, token))
        let duringOutage = Fixture(denials: early, isDown: true)
        #expect(try await isIssued(duringOutage, token))
        // The subscription does not open the edition, which is free for a while and not free when the outage starts.
        let late = DenialCache()
        let nothing = Subscription(state: .active, entitlement: .nothing)
        #expect(try await !isIssued(Fixture(denials: late, reported: nothing), token))
        let free = Catalogue([Self.edition(isFree: true)])
        #expect(try await isIssued(Fixture(free, denials: late, reported: nothing), token))
        #expect(try await !isIssued(Fixture(denials: late, isDown: true), token))
    }

    @Test("A repeated request gets different credentials with the same validity")
    func credentials() async throws {
        let fixture = Fixture()
        let token = try await fixture.token()
        var pairs: [EditionCredentials] = []
        for _ in 0..<2 {
            let result = try await fixture.service.editionCredentials(token: token, edition: name, CallContext())
            pairs.append(try #require(result.pair))
        }
        #expect(pairs[0].userid != pairs[1].userid)
        #expect(pairs[0].password != pairs[1].password)
        let verifier = EditionCredentialsVerifier(
            publication: .daily, secrets: SecretRing(current: .two), acceptsPlainSalts: false, resumeWindow: 0)
        func verdicts() -> [EditionCredentialsVerdict] {
            pairs.map { verifier.verify($0, for: .first, at: fixture.clock.now, revocations: fixture.revocations) }
        }
        let early = verdicts()
        #expect(early[0].isAccepted)
        #expect(early[0] == early[1])
        // Before the last minute, and after it.
        fixture.clock.advance(by: fixture.service.publication.lifetimes.editionCredentials - 60)
        #expect(verdicts() == early)
        fixture.clock.advance(by: 120)
        #expect(!verdicts().contains { $0.isAccepted })
    }

    @Test("Every result is reported as an event, whether it is live or cached", arguments: [Freshness.live, .cached])
    func events(freshness: Freshness) async throws {
        let fixture = Fixture(freshness: freshness)
        let token = try await fixture.token()
        let signedIn = fixture.events.withLock(\.count)
        for _ in 0..<2 {
            _ = try await fixture.service.verify(token: token, CallContext())
            _ = try await fixture.service.editionCredentials(token: token, edition: name, CallContext())
            _ = try await fixture.service.editionCredentials(token: token, edition: "unknown", CallContext())
        }
        let reader = fixture.reader
        let expected: [AuthorizationEvent] = [
            .verified(reader, .active), .credentialsIssued(reader, .first), .credentialsRejected(.notEntitled),
        ]
        #expect(fixture.events.withLock { Array($0.dropFirst(signedIn)) } == expected + expected)
    }

    @Test("A cached result records a denial and ends an earlier one, and a stale one ends none")
    func denials() async throws {
        let (denials, suspended) = (DenialCache(), Subscription(state: .suspended))
        let token = try await Fixture(denials: denials).token()
        func isIssuedInOutage(after freshness: Freshness, _ reported: Subscription) async throws -> Bool {
            let fixture = Fixture(denials: denials, reported: reported, freshness: freshness)
            _ = try await fixture.service.editionCredentials(token: token, edition: name, CallContext())
            let outage = Fixture(denials: denials, isDown: true)
            return try await outage.service.editionCredentials(token: token, edition: name, CallContext()).pair != nil
        }
        let active = Subscription(state: .active, entitlement: .editions([.first]))
        #expect(try await !isIssuedInOutage(after: .cached, suspended))
        #expect(try await !isIssuedInOutage(after: .stale, active))
        #expect(try await isIssuedInOutage(after: .cached, active))
    }

    @Test("A revocation takes effect at once")
    func revocation() async throws {
        let fixture = Fixture()
        let token = try await fixture.token()
        #expect(try await fixture.service.verify(token: token, CallContext()).subscription.state == .active)
        fixture.revocations.add(fixture.revocations.makeRevocation(fixture.reader, at: fixture.clock.now))
        #expect(try await fixture.service.verify(token: token, CallContext()).subscription.state == .unknown)
        let result = try await fixture.service.editionCredentials(token: token, edition: name, CallContext())
        #expect(result.rejection?.reason == .rejected)
    }

    @Test("A replacement of the catalogue takes effect at once")
    func catalogue() async throws {
        let fixture = Fixture()
        let token = try await fixture.token()
        #expect(
            try await fixture.service.editionCredentials(token: token, edition: name, CallContext()).pair != nil)
        fixture.catalogue.replace(with: Catalogue([Self.edition(publishedAfter: 1)]))
        #expect(
            try await fixture.service.editionCredentials(token: token, edition: name, CallContext()).pair == nil)
    }

    private static func edition(publishedAfter seconds: Double = -1, isFree: Bool = false) -> Edition {
        Edition(id: .first, title: "First", published: .after(seconds), isFree: isFree)
    }

    /// A service of an issue-based publication that fails open.
    private struct Fixture {
        let backend = ScriptedBackend()
        let clock = ManualClock()
        let revocations = RevocationList(publication: .daily)
        let catalogue: CurrentCatalogue
        let events = Locked<[AuthorizationEvent]>([])
        let service: AuthorizationService

        init(
            _ catalogue: Catalogue = Catalogue([RepeatedRequestsTests.edition()]),
            denials: DenialCache = DenialCache(),
            reported: Subscription = Subscription(state: .active, entitlement: .editions([.first])),
            freshness: Freshness = .live, isDown: Bool = false
        ) {
            backend.response(reported, freshness)
            if isDown { backend.startOutage() }
            self.catalogue = CurrentCatalogue(catalogue)
            service = AuthorizationService(
                publication: Publication(
                    id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(policy: .issueBased, catalogue: self.catalogue), failsOpen: true),
                backend: backend,
                tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(1)),
                editionSecrets: SecretRing(current: .two), state: InMemoryStateStore(), revocations: revocations,
                loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: PseudonymKey(.one), denials: denials,
                clock: clock.wall, random: .seeded(2),
                observe: { [events] event in events.withLock { $0.append(event) } })
        }

        var reader: SubscriberPseudonym {
            PseudonymKey(.one).reference(to: Subscriber(backend: "scripted", key: "ada@example.com"))
        }

        func token() async throws -> String {
            let result = try await service.signIn(
                CallContext(fields: ["email": "ada@example.com", "password": "right"]))
            return try #require(result.token)
        }
    }
}
