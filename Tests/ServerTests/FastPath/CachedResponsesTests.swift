import Backends
import ContentGate
import Foundation
import FrontDoors
import NIOCore
import NIOEmbedded
import PasswordHashing
import Primitives
import Resilience
import Synchronization
import TestSupport
import Testing

@testable import Gatefold
@testable import Server

/// Tests that, in any order of events, a fast path with a cache responds like one without.
@Suite("Cached responses of the fast path")
struct CachedResponsesTests {
    /// A backend that returns the result set last, at once.
    private final class ReportingBackend: SubscriberBackend {
        let name = "told"
        private let subscription = Mutex(Subscription(state: .active, entitlement: .editions([])))
        private let changes = ChangeCounter()
        /// The number of cache queries.
        let reverifications = Mutex(0)

        func report(_ next: Subscription) {
            subscription.withLock { $0 = next }
            changes.increment()
        }

        func authenticate(_ credentials: Credentials, context: CallContext) -> AuthenticationResult {
            .authenticated(Subscriber(backend: name, key: credentials.identifier))
        }
        func subscription(of subscriber: Subscriber, context: CallContext) -> Subscription {
            subscription.withLock(\.self)
        }
        func cachedSubscription(of subscriber: Subscriber, context: CallContext) -> Cached<Subscription>? {
            let validity = CacheValidity([changes.baseline])
            reverifications.withLock { $0 += 1 }
            return Cached(subscription.withLock(\.self), validity: validity)
        }
        func cachedVerdict(
            on edition: EditionID, for subscriber: Subscriber, context: CallContext
        ) -> Cached<CachedVerdict>? { Cached(CachedVerdict.none) }
    }

    private static let secret = Secret("kW8xVq2mTz5nRb7LcY3hJd9s")

    /// One publication with two fast paths in front of it.
    private final class Harness {
        let clock = ManualClock()
        let backend = ReportingBackend()
        /// The protection that caches results, unless the backend does so itself.
        let protected: ProtectedBackend?
        private let queried: any SubscriberBackend
        let catalogue = CurrentCatalogue()
        let revocations = RevocationList(publication: Harness.daily)
        let publications: ReloadableSnapshot
        let events = Events()
        static let daily = PublicationID("daily")!
        static let editions = ["ed-1", "ed-2", "ed-3"].map { EditionID($0)! }

        init(isProtected: Bool = false) throws {
            if isProtected {
                let protected = try Harness.protect(backend, clock)
                self.protected = protected
                queried = protected
            } else {
                protected = nil
                queried = backend
            }
            publications = ReloadableSnapshot(try Harness.set(clock, queried, catalogue, revocations, "first") { _ in })
            publications.replace(with: try set("first"))
        }

        func set(_ message: String) throws -> ServingState {
            try Harness.set(clock, queried, catalogue, revocations, message) { [events] event in
                events.add("\(event)")
            }
        }

        /// There is no background refresh: the cache changes only when the test does something.
        private static func protect(_ backend: ReportingBackend, _ clock: ManualClock) throws -> ProtectedBackend {
            var settings = ProtectionSettings()
            settings.cache?.revalidateAfter = 60
            return ProtectedBackend(
                backend, decidesEditions: false, settings: settings,
                services: BackendServices(
                    clock: clock.wall, random: .seeded(3),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    pseudonymKey: PseudonymKey(CachedResponsesTests.secret)))
        }

        static func set(
            _ clock: ManualClock, _ backend: any SubscriberBackend, _ catalogue: CurrentCatalogue,
            _ revocations: RevocationList, _ message: String,
            _ observe: @escaping @Sendable (AuthorizationEvent) -> Void
        ) throws -> ServingState {
            let secrets = SecretRing(current: CachedResponsesTests.secret)
            let publication = Publication(
                id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(
                    policy: .issueBased, grace: GraceRules(newestForActive: 1), catalogue: catalogue),
                messages: Messages(["en": [.active: message]]))
            let authorizationService = AuthorizationService(
                publication: publication, backend: backend,
                tokens: CachingTokenCodec(
                    SealedTokenCodec(publication: daily, secrets: secrets, random: .seeded(1))),
                editionSecrets: secrets, state: InMemoryStateStore(), revocations: revocations,
                loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: PseudonymKey(secret), clock: clock.wall,
                random: .seeded(2),
                observe: observe)
            let gate = try Gate(
                [
                    GatePublication(
                        id: daily, layout: try ContentLayout(prefix: "/content/daily/"),
                        verifier: EditionCredentialsVerifier(
                            publication: daily, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 60),
                        revocations: revocations, catalogue: catalogue)
                ], clock: clock.wall)
            return ServingState(
                directory: PublicationDirectory(default: authorizationService, byID: [daily: authorizationService]),
                gate: gate,
                backends: LiveBackendRegistry(), clients: ClientAddressResolver(trusted: []))
        }

        func fastPath() -> FastPathResponder {
            FastPathResponder(
                publications: publications,
                evaluator: GateEvaluator(
                    observer: { [events] event in events.add("\(event.decision)") },
                    current: { [publications] in publications.value.gate }),
                log: AccessLog(), clock: clock.wall)
        }
    }

    /// The events reported to observers.
    private final class Events: Sendable {
        private let all = Mutex<[String]>([])

        func add(_ event: String) { all.withLock { $0.append(event) } }

        func take() -> [String] {
            all.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    @Test("Cached responses equal computed ones", arguments: 0..<20 as Range<UInt64>)
    func same(seed: UInt64) async throws {
        let found = try await hits(try Harness(), seed)
        #expect(found > 50)
    }

    @Test(
        "Cached responses equal those computed from a protected backend's cache",
        arguments: 0..<20 as Range<UInt64>)
    func sameWhenProtected(seed: UInt64) async throws {
        let found = try await hits(try Harness(isProtected: true), seed)
        #expect(found > 30)
    }

    @Test("A decision is cached, and its credentials are issued again for each response")
    func anew() async throws {
        let harness = try Harness()
        let authorizationService = try #require(harness.publications.value.directory.default)
        let edition = try #require(Harness.editions.first)
        harness.backend.report(Subscription(state: .active, entitlement: .editions([edition])))
        guard
            case .signedIn(let token, _, _) = try await authorizationService.signIn(
                CallContext(fields: ["email": "ada", "password": "a"]))
        else { throw Missing() }
        let (fastPath, cache, peer) = (
            harness.fastPath(), FastPathCache(), FastPathPeer(address: ClientAddress("127.0.0.1"))
        )
        let head = "GET /edition_credentials?token=\(token)&product_id=\(edition) HTTP/1.1\r\nHost: a\r\n\r\n"
        var pairs: [String] = []
        for _ in 0..<6 {
            _ = harness.events.take()
            let response = try #require(try response(head, fastPath, cache, peer))
            let pair = try #require(response.firstMatch(of: #/<userid>(.*)</userid><password>(.*)</password>/#))
            pairs.append(Data("\(pair.1):\(pair.2)".utf8).base64EncodedString())
            #expect(harness.events.take().count == 1)
        }
        #expect(Set(pairs).count == 6)
        // The first request and the second, after which the decision is cached.
        #expect(harness.backend.reverifications.withLock(\.self) == 2)
        for pair in pairs {
            let queried =
                "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-URI: /content/daily/\(edition).zip\r\n"
                + "Authorization: Basic \(pair)\r\n\r\n"
            #expect(try #require(try response(queried, fastPath, cache, peer)).hasPrefix("HTTP/1.1 200 "))
        }
        // A change of a dependency invalidates the decision.
        harness.backend.report(Subscription(state: .inactive, entitlement: .editions([])))
        #expect(try #require(try response(head, fastPath, cache, peer)).contains("<error"))
    }

    /// Compares the two fast paths and returns the number of cache hits.
    private func hits(_ harness: Harness, _ seed: UInt64) async throws -> Int {
        let authorizationService = try #require(harness.publications.value.directory.default)
        var tokens: [String] = []
        var requests: [String] = ["/verify_subscription", "/edition_credentials?token=x&product_id=ed-1"]
        for reader in ["ada", "bob"] {
            let response = try await authorizationService.signIn(
                CallContext(fields: ["email": reader, "password": "right"]))
            guard case .signedIn(let token, _, _) = response else { throw Missing() }
            tokens.append(token)
            requests.append("/verify_subscription?token=\(token)")
            requests += Harness.editions.map { "/edition_credentials?token=\(token)&product_id=\($0)" }
        }
        let pairs = try pairs(authorizationService, tokens)
        let fastPath = harness.fastPath()
        let cache = FastPathCache()
        let peer = FastPathPeer(address: ClientAddress("127.0.0.1"))
        var random = SeededRandom(seed: seed)
        var hits = 0
        for round in 0..<600 {
            // Other tests of this process need time, too.
            if round.isMultiple(of: 10) { await Task.yield() }
            if Int.random(in: 0..<12, using: &random) == 0 {
                try await change(harness, authorizationService, tokens, &random)
            }
            // A request by the regular path fills the cache.
            if harness.protected != nil, Int.random(in: 0..<3, using: &random) == 0 {
                for token in tokens { _ = try await authorizationService.verify(token: token, CallContext()) }
            }
            let head: String
            if Bool.random(using: &random) {
                head = "GET \(requests.randomElement(using: &random) ?? "/") HTTP/1.1\r\nHost: a\r\n\r\n"
            } else {
                let edition = Harness.editions.randomElement(using: &random).map(\.rawValue) ?? ""
                let pair = pairs.randomElement(using: &random) ?? ""
                head =
                    "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-URI: /content/daily/\(edition).zip\r\n"
                    + "Authorization: Basic \(pair)\r\n\r\n"
            }
            _ = harness.events.take()
            let request = ByteBuffer(string: head)
            let number = FastPathCache.number(of: request, from: peer.address)
            if cache.response(number, to: request, from: peer.address, at: harness.clock.now) != nil { hits += 1 }
            let cached = try response(head, fastPath, cache, peer)
            let recordedEvents = harness.events.take()
            let fresh = try response(head, fastPath, FastPathCache(), peer)
            #expect(
                try cached.map { try shape($0, to: head) } == fresh.map { try shape($0, to: head) },
                "seed \(seed): \(head)")
            #expect(fresh != nil || harness.protected != nil, "seed \(seed): \(head)")
            #expect(recordedEvents == harness.events.take(), "seed \(seed): \(head)")
        }
        return hits
    }

    /// Changes a random dependency of the responses.
    private func change(
        _ harness: Harness, _ authorizationService: AuthorizationService, _ tokens: [String],
        _ random: inout SeededRandom
    ) async throws {
        switch Int.random(in: 0..<(harness.protected == nil ? 6 : 8), using: &random) {
        case 0:
            let held = Set(Harness.editions.filter { _ in Bool.random(using: &random) })
            harness.backend.report(
                Subscription(
                    state: [.active, .inactive, .suspended, .unknown].randomElement(using: &random) ?? .active,
                    entitlement: .editions(held)))
        case 1:
            let session = tokens.randomElement(using: &random).flatMap { authorizationService.session(token: $0) }
            guard let session, Int.random(in: 0..<4, using: &random) == 0 else { return }
            let subject = authorizationService.subject(of: session)
            harness.revocations.add(
                Revocation(
                    publication: Harness.daily, subscriber: subject.subscriber, session: nil, at: harness.clock.now))
        case 2:
            let second = Date(timeIntervalSince1970: harness.clock.now.timeIntervalSince1970.rounded(.down))
            harness.catalogue.replace(
                with: Catalogue(
                    Harness.editions.map {
                        Edition(
                            id: $0, title: "T",
                            published: second.addingTimeInterval(Double(Int.random(in: -5...5, using: &random))),
                            isFree: Int.random(in: 0..<4, using: &random) == 0)
                    }))
        case 3:
            harness.publications.replace(with: try harness.set("message \(Int.random(in: 0..<100, using: &random))"))
        case 4: harness.clock.advance(by: 1)
        case 5: harness.clock.advance(by: 0.3)
        case 6:
            let reader = Subscriber(backend: harness.backend.name, key: Bool.random(using: &random) ? "ada" : "bob")
            try await harness.protected?.signOut(reader, context: CallContext())
        default:
            let targets: [FlushTarget] = [.all, .key("ada"), .identifier("bob")]
            harness.protected?.flush(targets.randomElement(using: &random) ?? .all)
        }
    }

    /// Returns Basic credentials: valid ones and an invalid one.
    private func pairs(_ authorizationService: AuthorizationService, _ tokens: [String]) throws -> [String] {
        var pairs = [Data("a:b".utf8).base64EncodedString()]
        for token in tokens {
            let session = try #require(authorizationService.session(token: token))
            for edition in Harness.editions {
                let issued = try authorizationService.credentials.issue(
                    edition, for: authorizationService.subject(of: session), until: session.expiresAt, sealing: true)
                pairs.append(Data("\(issued.userid):\(issued.password)".utf8).base64EncodedString())
            }
        }
        return pairs
    }

    private func response(
        _ head: String, _ fastPath: FastPathResponder, _ cache: FastPathCache, _ peer: FastPathPeer
    ) throws -> String? {
        var bytes = ByteBuffer(string: head)
        var out: ByteBuffer?
        guard fastPath.response(&bytes, peer, cache, into: &out) else { return nil }
        #expect(bytes.readableBytes == 0)
        return String(buffer: try #require(out))
    }

    /// Returns the response without its date, with the content of its credentials in their place.
    private func shape(_ response: String, to head: String) throws -> String {
        let text = response.replacing(#/Date: [A-Za-z0-9,: ]+/#, with: "Date")
        guard let pair = text.firstMatch(of: #/<userid>(.*)<\/userid><password>(.*)<\/password>/#) else { return text }
        let name = try #require(head.firstMatch(of: #/product_id=([^ &]+)/#)?.1)
        let edition = try #require(EditionID(String(name)))
        let salt = try #require(Self.sealer.open(pair.1, for: edition))
        let right = EditionPassword.make(edition: edition, salt: String(pair.1), secret: Self.secret)
        #expect(pair.2 == right)
        return text.replacing(
            pair.0,
            with: "\(salt.subscriber.bytes) \(salt.session.bytes) of \(salt.sessionIssuedAt) until \(salt.expiresAt)")
    }

    private static let sealer = SaltSealer(
        publication: Harness.daily, secrets: SecretRing(current: secret), random: .seeded(4))

    private struct Missing: Error {}
}
