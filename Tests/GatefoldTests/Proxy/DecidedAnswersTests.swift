import Foundation
import Gatefold
import TestSupport
import Testing

/// An answer that is given at once is the one that would be given otherwise: there is one definition of each.
@Suite("A decided answer")
struct DecidedAnswersTests {
    /// Says from memory what it says when it is asked.
    private struct Remembering: SubscriberBackend {
        let name = "scripted"
        var told = Subscription(state: .active)
        var word: RememberedVerdict? = RememberedVerdict.none

        func recognise(_ credentials: Credentials, inquiry: Inquiry) -> Recognition {
            .recognised(Subscriber(backend: name, key: credentials.identifier))
        }
        func subscription(of subscriber: Subscriber, inquiry: Inquiry) -> Subscription { told }
        func verdict(on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry) -> EditionVerdict? {
            if case .verdict(let verdict)? = word { verdict } else { nil }
        }
        func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
            Remembered(told)
        }
        func rememberedVerdict(
            on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
        ) -> Remembered<RememberedVerdict>? { word.map { Remembered($0) } }
    }

    private static let subscriptions = SubscriptionState.allCases.flatMap { state in
        [
            Subscription(state: state), Subscription(state: state, message: "words"),
            Subscription(state: state, entitlement: .allEditions),
            Subscription(state: state, entitlement: .editions([.first])),
        ]
    }

    private static let verdicts: [RememberedVerdict] = [
        .none, .verdict(.granted), .verdict(.refused(.notEntitled, message: nil)),
        .verdict(.refused(nil, message: "no")),
        .verdict(.leftTo([Subscription(state: .active, entitlement: .allEditions)], otherwise: .expired, message: nil)),
        .verdict(.leftTo([], otherwise: .expired, message: "over")),
    ]

    @Test("to a verification is the one that asking brings", arguments: EntitlementPolicy.allCases)
    func verification(policy: EntitlementPolicy) async throws {
        for told in Self.subscriptions {
            let (proxy, clock) = try Self.proxy(Remembering(told: told), policy)
            for token in try await Self.tokens(proxy, clock) {
                let decided = try #require(proxy.decidedVerification(token: token, Inquiry()))
                #expect(try await decided.answer == proxy.verify(token: token, Inquiry()))
            }
        }
    }

    @Test("to a request for credentials is the one that asking brings", arguments: EntitlementPolicy.allCases)
    func credentials(policy: EntitlementPolicy) async throws {
        for told in Self.subscriptions {
            for word in Self.verdicts {
                let (proxy, clock) = try Self.proxy(Remembering(told: told, word: word), policy)
                // The same, but for whoever is asked.
                let (asking, _) = try Self.proxy(Asking(other: Remembering(told: told, word: word)), policy)
                for token in try await Self.tokens(proxy, clock) {
                    for edition in [EditionID.first.rawValue, "free", "future", "a b", "unknown"] {
                        let decided = try #require(
                            try proxy.decidedCredentials(token: token, edition: edition, Inquiry()))
                        let asked = try await asking.editionCredentials(token: token, edition: edition, Inquiry())
                        #expect(Self.shape(decided.answer) == Self.shape(asked), "\(told.state) \(word) \(edition)")
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: that the catalogue alone gives is no word on the reader, in an outage that outlives it")
    func plainDecisions() async throws {
        let active = Subscription(state: .active)
        func proxy(_ backend: some SubscriberBackend, isFree: Bool = false, denials: DenialCache) throws
            -> PublicationProxy
        {
            let edition = Edition(id: .first, title: "First", published: .after(-1), isFree: isFree)
            return try Self.proxy(
                backend, .issueBased, Catalogue([edition]), denials: denials, failsOpen: true
            ).0
        }
        func isGiven(_ proxy: PublicationProxy, _ token: String, isDecided: Bool) async throws -> Bool {
            let name = EditionID.first.rawValue
            let decided = try proxy.decidedCredentials(token: token, edition: name, Inquiry())
            #expect((decided != nil) == isDecided)
            return try await proxy.editionCredentials(token: token, edition: name, Inquiry()).pair != nil
        }
        // Not out, and out when the outage comes.
        let early = DenialCache()
        let future = Catalogue([Edition(id: .first, title: "First", published: .after(1))])
        let (before, clock) = try Self.proxy(
            Remembering(told: active), .issueBased, future, denials: early, failsOpen: true)
        let token = try #require(try await Self.tokens(before, clock).first)
        #expect(try await !isGiven(before, token, isDecided: true))
        #expect(try await isGiven(proxy(Down(), denials: early), token, isDecided: false))
        // Refused by the backend, free for a while, and not free when the outage comes.
        let late = DenialCache()
        let refusing = Remembering(told: active, word: .verdict(.refused(.notEntitled, message: nil)))
        #expect(try await !isGiven(proxy(refusing, denials: late), token, isDecided: true))
        #expect(try await isGiven(proxy(refusing, isFree: true, denials: late), token, isDecided: true))
        #expect(try await !isGiven(proxy(Down(), denials: late), token, isDecided: false))
    }

    @Test("is given again with other credentials, which are as good and no longer")
    func repetition() async throws {
        let (proxy, clock) = try Self.proxy(Remembering(), .accessBased)
        let decided = try await Self.toBeKept(by: proxy, clock)
        guard case .replacing(let first, let next) = decided.repetition else {
            Issue.record("\(decided.repetition)")
            return
        }
        #expect(first == decided.answer.pair)
        let second = try next()
        #expect(second.userid != first.userid)
        #expect(second.password != first.password)
        let verifier = EditionCredentialsVerifier(
            publication: .daily, secrets: SecretRing(current: .two), acceptsPlainSalts: false, resumeWindow: 0)
        let revocations = RevocationList(publication: .daily)
        func verdicts() -> [EditionCredentialsVerdict] {
            [first, second].map { verifier.verify($0, for: .first, at: clock.now, revocations: revocations) }
        }
        let early = verdicts()
        #expect(early[0].isAccepted)
        #expect(early[0] == early[1])
        // Before the last minute, and after it.
        clock.advance(by: proxy.publication.lifetimes.editionCredentials - 60)
        #expect(verdicts() == early)
        clock.advance(by: 120)
        #expect(!verdicts().contains { $0.isAccepted })
    }

    @Test("is worked out again where more of it is of its moment")
    func moment() async throws {
        let edge = try StaticEdgeHeader(name: "X-Edge", value: "word")
        let changes: [(inout Publication) -> Void] = [{ $0.edgeTokens = [edge] }, { $0.hasDebugComments = true }]
        for change in changes {
            let (proxy, clock) = try Self.proxy(Remembering(), .accessBased, change: change)
            let decided = try await Self.toBeKept(by: proxy, clock)
            #expect(decided.answer.pair != nil)
            guard case .never = decided.repetition else {
                Issue.record("\(decided.repetition)")
                return
            }
        }
    }

    private static func toBeKept(
        by proxy: PublicationProxy, _ clock: ManualClock
    ) async throws -> Decided<CredentialsAnswer> {
        let token = try #require(try await tokens(proxy, clock).first)
        return try #require(
            try proxy.decidedCredentials(
                token: token, edition: EditionID.first.rawValue, Inquiry(), isToBeKept: true))
    }

    @Test("is not there where somebody has to be asked")
    func undecided() async throws {
        let rig = ProxyRig()
        let token = try await rig.token()
        #expect(rig.proxy.decidedVerification(token: token, Inquiry()) == nil)
        #expect(try rig.proxy.decidedCredentials(token: token, edition: EditionID.first.rawValue, Inquiry()) == nil)
        #expect(rig.backend.questions == ["recognise"])
    }

    /// Has nothing in memory.
    private struct Asking: SubscriberBackend {
        let other: Remembering
        var name: String { other.name }
        func recognise(_ credentials: Credentials, inquiry: Inquiry) -> Recognition {
            other.recognise(credentials, inquiry: inquiry)
        }
        func subscription(of subscriber: Subscriber, inquiry: Inquiry) -> Subscription { other.told }
        func verdict(on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry) -> EditionVerdict? {
            other.verdict(on: edition, for: subscriber, inquiry: inquiry)
        }
    }

    private struct Down: SubscriberBackend {
        let name = "scripted"
        func recognise(_ credentials: Credentials, inquiry: Inquiry) throws -> Recognition {
            throw ScriptedBackend.BrokenDown()
        }
        func subscription(of subscriber: Subscriber, inquiry: Inquiry) throws -> Subscription {
            throw ScriptedBackend.BrokenDown()
        }
    }

    private static func shape(_ answer: CredentialsAnswer) -> String {
        switch answer {
        case .granted: "granted"
        case .refused(let refusal, _): "\(refusal)"
        }
    }

    private static func proxy(
        _ backend: some SubscriberBackend, _ policy: EntitlementPolicy, _ catalogue: Catalogue? = nil,
        denials: DenialCache = DenialCache(), failsOpen: Bool = false,
        change: (inout Publication) -> Void = { _ in }
    ) throws -> (PublicationProxy, ManualClock) {
        let clock = ManualClock()
        let shelf = Catalogue([
            Edition(id: .first, title: "First", published: clock.now.addingTimeInterval(-86_400)),
            Edition(
                id: try #require(EditionID("free")), title: "Free", published: clock.now.addingTimeInterval(-86_400),
                isFree: true),
            Edition(
                id: try #require(EditionID("future")), title: "Future", published: clock.now.addingTimeInterval(86_400)),
        ])
        var publication = Publication(
            id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, catalogue: catalogue ?? shelf), failsOpen: failsOpen)
        change(&publication)
        let proxy = PublicationProxy(
            publication: publication, backend: backend,
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(1)),
            editionSecrets: SecretRing(current: .two), state: VolatileStateStore(),
            revocations: RevocationList(publication: .daily), guesses: UnlimitedGuesses(),
            references: ReferenceKey(.one), denials: denials, clock: clock.wall, random: .seeded(2))
        return (proxy, clock)
    }

    /// A good one, one that is over, none, and nonsense.
    private static func tokens(_ proxy: PublicationProxy, _ clock: ManualClock) async throws -> [String] {
        let answer = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "right"]))
        let good = try #require(answer.token)
        return [good, "", "nonsense"]
    }
}
