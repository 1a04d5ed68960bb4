import Commerce
import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport

/// A publication with a random policy, catalogue, subscriber system and ledger.
struct ExplanationWorld: CustomStringConvertible {
    /// A subscriber system with verdicts on editions, which a test can stop.
    final class System: EditionDecidingBackend {
        struct Down: Error {}
        struct Script: Sendable {
            var subscription = Subscription(state: .active)
            var verdicts: [EditionID: EditionVerdict?] = [:]
            var freshness = Freshness.live
            var hasSubscription = true
            var hasVerdicts = true
            /// Whether the system dictates the response, as a test backend does.
            var isScripted = false
        }

        let name = "judging"
        let script: Mutex<Script>

        init(_ script: Script) {
            self.script = Mutex(script)
        }

        func authenticate(
            _ credentials: Credentials, context: CallContext
        ) async throws -> Fetched<AuthenticationResult> {
            .authenticated(Subscriber(backend: name, key: credentials.identifier))
        }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            let script = script.withLock { $0 }
            if script.isScripted { throw ScriptedResponse(status: 503, text: "dictated") }
            guard script.hasSubscription else { throw Down() }
            return Fetched(script.subscription, script.freshness)
        }

        func verdict(
            on edition: EditionID?, for subscriber: Subscriber, context: CallContext
        ) async throws -> Fetched<EditionVerdict?> {
            let script = script.withLock { $0 }
            guard script.hasVerdicts else { throw Down() }
            return Fetched(edition.flatMap { script.verdicts[$0] } ?? nil, script.freshness)
        }
    }

    final class Log: Sendable {
        private let all = Mutex<(events: [AuthorizationEvent], refusals: [Refusal])>(([], []))
        var events: [AuthorizationEvent] { all.withLock(\.events) }
        var refusals: [Refusal] { all.withLock(\.refusals) }
        func record(_ event: AuthorizationEvent) { all.withLock { $0.events.append(event) } }
        func record(_ refusal: Refusal) { all.withLock { $0.refusals.append(refusal) } }
    }

    static let editions = Agreement.editions(prefix: "com.example.a.")
    static let reader = Subscriber(backend: "judging", key: "ann@example.com")

    let description: String
    let clock = ManualClock()
    let system: System
    let service: AuthorizationService
    let log = Log()
    let denials = DenialCache()
    let state = InMemoryStateStore()
    let revocations = RevocationList(publication: .daily)

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        let now = clock.now
        let editions = Self.editions
        var script = System.Script()
        script.subscription = Self.subscription(&random, at: now)
        for edition in editions { script.verdicts[edition] = Self.verdict(&random, at: now) }
        script.freshness = [.live, .live, .cached, .stale].randomElement(using: &random)!
        script.hasSubscription = chance(85)
        script.hasVerdicts = chance(85)
        script.isScripted = chance(5)
        let policy = EntitlementPolicy.allCases.randomElement(using: &random)!
        let grace = GraceRules(
            previousOfHeld: Int.random(in: 0...2, using: &random),
            newestForActive: Int.random(in: 0...2, using: &random))
        let kind = Int.random(in: 0..<10, using: &random)
        let catalogue =
            kind == 0
            ? Catalogue.pending : kind < 3 ? Catalogue() : Agreement.catalogue(at: now, prefix: "com.example.a.")
        let failsOpen = chance(40)
        let bought: [EditionID]? =
            chance(20) ? nil : chance(50) ? [] : editions.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        let hasStore = chance(60)
        description =
            "seed \(seed): \(policy) \(grace) catalogue \(kind) \(script.subscription) fresh \(script.freshness) "
            + "up \(script.hasSubscription)/\(script.hasVerdicts) scripted \(script.isScripted) open \(failsOpen) store \(hasStore) \(bought as Any)"
        system = System(script)
        let verifier = ScriptedVerifier()
        let purchases = (bought ?? []).enumerated().map { number, edition in
            StoreTransaction(
                store: verifier.store, id: "\(number)", original: "\(number)", product: edition.rawValue,
                purchased: .after(-1), environment: .production, reported: .after(-1))
        }
        let isLedgerDown = bought == nil
        let purchaseService = PurchaseService(
            publication: .daily, products: ProductRules(), verifiers: [verifier],
            ledger: BrokenLedger(reporting: { _ in
                if isLedgerDown { throw System.Down() }
                return purchases
            }), clock: clock.wall)
        var publication = Publication(
            id: .daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: policy, grace: grace, catalogue: catalogue))
        publication.failsOpen = failsOpen
        let log = log
        service = AuthorizationService(
            publication: publication, backend: system,
            tokens: SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(20)),
            editionSecrets: SecretRing(current: .two), state: state, revocations: revocations,
            loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: PseudonymKey(.one), denials: denials,
            clock: clock.wall, random: .seeded(21), purchases: hasStore ? purchaseService : nil,
            observe: { log.record($0) }, report: { log.record($0) })
    }

    /// Makes the subscriber system deny the reader or an edition first, so that the denial is on record.
    func recordDenials(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed &+ 1_000_000)
        guard Bool.random(using: &random) else { return }
        let before = system.script.withLock { $0 }
        system.script.withLock {
            $0.subscription = Subscription(
                state: [.inactive, .suspended, .active].randomElement(using: &random)!, entitlement: .nothing)
            $0.verdicts = [:]
            $0.freshness = .live
            $0.hasSubscription = true
            $0.hasVerdicts = true
            $0.isScripted = false
        }
        let token = try await token()
        let edition = Self.editions.randomElement(using: &random)!
        _ = try await service.editionCredentials(token: token, edition: edition.rawValue, CallContext())
        system.script.withLock { $0 = before }
    }

    /// Ends the session of the token, or lets it expire, in some worlds.
    ///
    /// - Returns: Whether the token is still valid.
    func changeSession(seed: UInt64, _ token: String) async throws -> Bool {
        switch seed % 20 {
        case 0:
            clock.advance(by: 1)
            let reference = service.pseudonymKey.reference(to: Self.reader)
            revocations.add(revocations.makeRevocation(reference, at: clock.now))
            return false
        case 1:
            clock.advance(by: service.publication.lifetimes.token + 1)
            return false
        default: return true
        }
    }

    func token() async throws -> String {
        guard
            case .signedIn(let token, _, _) = try await service.signIn(
                CallContext(fields: ["email": Self.reader.key, "password": "right"]))
        else { throw System.Down() }
        return token
    }

    private static func subscription(_ random: inout SeededRandom, at now: Date) -> Subscription {
        var subscription = Subscription(
            state: SubscriptionState.allCases.randomElement(using: &random)!,
            entitlement: Int.random(in: 0..<4, using: &random) == 0
                ? .allEditions : .editions(Set(editions.filter { _ in Bool.random(using: &random) })))
        if Bool.random(using: &random) {
            subscription.periods = [
                Period(start: now - 250, end: Bool.random(using: &random) ? now - 120 : nil)
            ]
        }
        return subscription
    }

    private static func verdict(_ random: inout SeededRandom, at now: Date) -> EditionVerdict? {
        let statuses: [CredentialsRejection.Reason?] = [.rejected, .expired, .notEntitled, nil]
        let status = statuses.randomElement(using: &random)!
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1: return nil
        case 2, 3: return .granted
        case 4: return .rejected(status, message: nil)
        default: return .deferred([subscription(&random, at: now)], otherwise: status, message: nil)
        }
    }
}
