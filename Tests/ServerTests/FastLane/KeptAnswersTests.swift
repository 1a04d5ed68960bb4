import Backends
import ContentGate
import Foundation
import FrontDoors
import NIOCore
import NIOEmbedded
import Synchronization
import TestSupport
import Testing

@testable import Gatefold
@testable import Server

/// Whatever happens, and in whatever order, a lane that keeps answers gives those that a lane without memory would give.
@Suite("Answers kept in the fast lane")
struct KeptAnswersTests {
    /// Says at once whatever it was told to say last.
    private final class Told: SubscriberBackend {
        let name = "told"
        private let subscription = Mutex(Subscription(state: .active, entitlement: .editions([])))
        private let changes = ChangeCount()
        /// How often somebody looked for what it says.
        let looks = Mutex(0)

        func say(_ next: Subscription) {
            subscription.withLock { $0 = next }
            changes.note()
        }

        func recognise(_ credentials: Credentials, inquiry: Inquiry) -> Recognition {
            .recognised(Subscriber(backend: name, key: credentials.identifier))
        }
        func subscription(of subscriber: Subscriber, inquiry: Inquiry) -> Subscription {
            subscription.withLock(\.self)
        }
        func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
            let standing = Standing([changes.mark])
            looks.withLock { $0 += 1 }
            return Remembered(subscription.withLock(\.self), standing: standing)
        }
        func rememberedVerdict(
            on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
        ) -> Remembered<RememberedVerdict>? { Remembered(RememberedVerdict.none) }
    }

    private static let secret = Secret("kW8xVq2mTz5nRb7LcY3hJd9s")

    /// One publication, in front of which two lanes stand.
    private final class Rig {
        let clock = ManualClock()
        let backend = Told()
        /// What remembers its answers, where that is not left to the backend.
        let protected: ProtectedBackend?
        private let asked: any SubscriberBackend
        let catalogue = CurrentCatalogue()
        let revocations = RevocationList(publication: Rig.daily)
        let publications: CurrentPublications
        let events = Events()
        static let daily = PublicationID("daily")!
        static let editions = ["ed-1", "ed-2", "ed-3"].map { EditionID($0)! }

        init(isProtected: Bool = false) throws {
            if isProtected {
                let protected = try Rig.protect(backend, clock)
                self.protected = protected
                asked = protected
            } else {
                protected = nil
                asked = backend
            }
            publications = CurrentPublications(try Rig.set(clock, asked, catalogue, revocations, "first") { _ in })
            publications.replace(with: try set("first"))
        }

        func set(_ message: String) throws -> PublicationSet {
            try Rig.set(clock, asked, catalogue, revocations, message) { [events] event in
                events.add("\(event)")
            }
        }

        /// Nothing is asked anew behind anybody's back: what is remembered changes only when the test does something.
        private static func protect(_ backend: Told, _ clock: ManualClock) throws -> ProtectedBackend {
            var settings = ProtectionSettings()
            settings.cache?.revalidateAfter = 60
            return ProtectedBackend(
                backend, decidesEditions: false, settings: settings,
                services: BackendServices(
                    clock: clock.wall, random: .seeded(3),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    references: ReferenceKey(KeptAnswersTests.secret)))
        }

        static func set(
            _ clock: ManualClock, _ backend: any SubscriberBackend, _ catalogue: CurrentCatalogue,
            _ revocations: RevocationList, _ message: String, _ observe: @escaping @Sendable (ProxyEvent) -> Void
        ) throws -> PublicationSet {
            let secrets = SecretRing(current: KeptAnswersTests.secret)
            let publication = Publication(
                id: daily, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(
                    policy: .issueBased, grace: GraceRules(newestForActive: 1), catalogue: catalogue),
                messages: Messages(["en": [.active: message]]))
            let proxy = PublicationProxy(
                publication: publication, backend: backend,
                tokens: RememberingTokenCodec(
                    SealedTokenCodec(publication: daily, secrets: secrets, random: .seeded(1))),
                editionSecrets: secrets, state: VolatileStateStore(), revocations: revocations,
                guesses: UnlimitedGuesses(), references: ReferenceKey(secret), clock: clock.wall, random: .seeded(2),
                observe: observe)
            let gate = try Gate(
                [
                    GatePublication(
                        id: daily, layout: try ContentLayout(prefix: "/content/daily/"),
                        verifier: EditionCredentialsVerifier(
                            publication: daily, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 60),
                        revocations: revocations, catalogue: catalogue)
                ], clock: clock.wall)
            return PublicationSet(
                directory: PublicationDirectory(default: proxy, byID: [daily: proxy]), gate: gate,
                backends: OpenBackends(), clients: ClientAddressResolver(trusted: []))
        }

        func lane() -> LaneAnswers {
            LaneAnswers(
                publications: publications,
                keeper: GateKeeper(
                    observer: { [events] event in events.add("\(event.decision)") },
                    current: { [publications] in publications.value.gate }),
                log: AccessLog(), clock: clock.wall)
        }
    }

    /// What was told to observers.
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

    @Test("are those that would be worked out", arguments: 0..<20 as Range<UInt64>)
    func same(seed: UInt64) async throws {
        let found = try await hits(try Rig(), seed)
        #expect(found > 50)
    }

    @Test(
        "are those that would be worked out from what a protected backend remembers",
        arguments: 0..<20 as Range<UInt64>)
    func sameWhenProtected(seed: UInt64) async throws {
        let found = try await hits(try Rig(isProtected: true), seed)
        #expect(found > 30)
    }

    @Test("are decided once, and credentials made anew each time, of which all are good")
    func anew() async throws {
        let rig = try Rig()
        let proxy = try #require(rig.publications.value.directory.default)
        let edition = try #require(Rig.editions.first)
        rig.backend.say(Subscription(state: .active, entitlement: .editions([edition])))
        guard
            case .signedIn(let token, _, _) = try await proxy.signIn(
                Inquiry(fields: ["email": "ada", "password": "a"]))
        else { throw Missing() }
        let (lane, memory, peer) = (rig.lane(), LaneMemory(), LanePeer(address: ClientAddress("127.0.0.1")))
        let head = "GET /edition_credentials?token=\(token)&product_id=\(edition) HTTP/1.1\r\nHost: a\r\n\r\n"
        var pairs: [String] = []
        for _ in 0..<6 {
            _ = rig.events.take()
            let answer = try #require(try answer(head, lane, memory, peer))
            let pair = try #require(answer.firstMatch(of: #/<userid>(.*)</userid><password>(.*)</password>/#))
            pairs.append(Data("\(pair.1):\(pair.2)".utf8).base64EncodedString())
            #expect(rig.events.take().count == 1)
        }
        #expect(Set(pairs).count == 6)
        // The first time, and the second, after which it is kept.
        #expect(rig.backend.looks.withLock(\.self) == 2)
        for pair in pairs {
            let asked =
                "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-URI: /content/daily/\(edition).zip\r\n"
                + "Authorization: Basic \(pair)\r\n\r\n"
            #expect(try #require(try answer(asked, lane, memory, peer)).hasPrefix("HTTP/1.1 200 "))
        }
        // What it depended on: nothing is made of it any more.
        rig.backend.say(Subscription(state: .inactive, entitlement: .editions([])))
        #expect(try #require(try answer(head, lane, memory, peer)).contains("<error"))
    }

    /// Compares the two lanes, and says how often an answer was kept.
    private func hits(_ rig: Rig, _ seed: UInt64) async throws -> Int {
        let proxy = try #require(rig.publications.value.directory.default)
        var tokens: [String] = []
        var requests: [String] = ["/verify_subscription", "/edition_credentials?token=x&product_id=ed-1"]
        for reader in ["ada", "bob"] {
            let answer = try await proxy.signIn(Inquiry(fields: ["email": reader, "password": "right"]))
            guard case .signedIn(let token, _, _) = answer else { throw Missing() }
            tokens.append(token)
            requests.append("/verify_subscription?token=\(token)")
            requests += Rig.editions.map { "/edition_credentials?token=\(token)&product_id=\($0)" }
        }
        let pairs = try pairs(proxy, tokens)
        let lane = rig.lane()
        let memory = LaneMemory()
        let peer = LanePeer(address: ClientAddress("127.0.0.1"))
        var random = SeededRandom(seed: seed)
        var hits = 0
        for round in 0..<600 {
            // Others of this process have something to do, too.
            if round.isMultiple(of: 10) { await Task.yield() }
            if Int.random(in: 0..<12, using: &random) == 0 { try await change(rig, proxy, tokens, &random) }
            // Somebody asks in the usual way, so that there is something to remember.
            if rig.protected != nil, Int.random(in: 0..<3, using: &random) == 0 {
                for token in tokens { _ = try await proxy.verify(token: token, Inquiry()) }
            }
            let head: String
            if Bool.random(using: &random) {
                head = "GET \(requests.randomElement(using: &random) ?? "/") HTTP/1.1\r\nHost: a\r\n\r\n"
            } else {
                let edition = Rig.editions.randomElement(using: &random).map(\.rawValue) ?? ""
                let pair = pairs.randomElement(using: &random) ?? ""
                head =
                    "GET /auth-request/original-uri HTTP/1.1\r\nHost: a\r\nX-Original-URI: /content/daily/\(edition).zip\r\n"
                    + "Authorization: Basic \(pair)\r\n\r\n"
            }
            _ = rig.events.take()
            let request = ByteBuffer(string: head)
            let number = LaneMemory.number(of: request, from: peer.address)
            if memory.answer(number, to: request, from: peer.address, at: rig.clock.now) != nil { hits += 1 }
            let kept = try answer(head, lane, memory, peer)
            let keptEvents = rig.events.take()
            let fresh = try answer(head, lane, LaneMemory(), peer)
            #expect(
                try kept.map { try shape($0, to: head) } == fresh.map { try shape($0, to: head) },
                "seed \(seed): \(head)")
            #expect(fresh != nil || rig.protected != nil, "seed \(seed): \(head)")
            #expect(keptEvents == rig.events.take(), "seed \(seed): \(head)")
        }
        return hits
    }

    /// Something that answers depend on.
    private func change(
        _ rig: Rig, _ proxy: PublicationProxy, _ tokens: [String], _ random: inout SeededRandom
    ) async throws {
        switch Int.random(in: 0..<(rig.protected == nil ? 6 : 8), using: &random) {
        case 0:
            let held = Set(Rig.editions.filter { _ in Bool.random(using: &random) })
            rig.backend.say(
                Subscription(
                    state: [.active, .inactive, .suspended, .unknown].randomElement(using: &random) ?? .active,
                    entitlement: .editions(held)))
        case 1:
            let session = tokens.randomElement(using: &random).flatMap { proxy.session(token: $0) }
            guard let session, Int.random(in: 0..<4, using: &random) == 0 else { return }
            let holder = proxy.holder(of: session)
            rig.revocations.add(
                Revocation(
                    publication: Rig.daily, subscriber: holder.subscriber, session: nil, at: rig.clock.now))
        case 2:
            let second = Date(timeIntervalSince1970: rig.clock.now.timeIntervalSince1970.rounded(.down))
            rig.catalogue.replace(
                with: Catalogue(
                    Rig.editions.map {
                        Edition(
                            id: $0, title: "T",
                            published: second.addingTimeInterval(Double(Int.random(in: -5...5, using: &random))),
                            isFree: Int.random(in: 0..<4, using: &random) == 0)
                    }))
        case 3:
            rig.publications.replace(with: try rig.set("message \(Int.random(in: 0..<100, using: &random))"))
        case 4: rig.clock.advance(by: 1)
        case 5: rig.clock.advance(by: 0.3)
        case 6:
            let reader = Subscriber(backend: rig.backend.name, key: Bool.random(using: &random) ? "ada" : "bob")
            try await rig.protected?.signOut(reader, inquiry: Inquiry())
        default:
            let targets: [FlushTarget] = [.all, .key("ada"), .identifier("bob")]
            rig.protected?.flush(targets.randomElement(using: &random) ?? .all)
        }
    }

    /// For Basic, good ones and one that is not.
    private func pairs(_ proxy: PublicationProxy, _ tokens: [String]) throws -> [String] {
        var pairs = [Data("a:b".utf8).base64EncodedString()]
        for token in tokens {
            let session = try #require(proxy.session(token: token))
            for edition in Rig.editions {
                let issued = try proxy.credentials.issue(
                    edition, for: proxy.holder(of: session), until: session.expiresAt, sealing: true)
                pairs.append(Data("\(issued.userid):\(issued.password)".utf8).base64EncodedString())
            }
        }
        return pairs
    }

    private func answer(
        _ head: String, _ lane: LaneAnswers, _ memory: LaneMemory, _ peer: LanePeer
    ) throws -> String? {
        var bytes = ByteBuffer(string: head)
        var out: ByteBuffer?
        guard lane.answer(&bytes, peer, memory, into: &out) else { return nil }
        #expect(bytes.readableBytes == 0)
        return String(buffer: try #require(out))
    }

    /// The answer but for its date, with what its credentials are good for in their place.
    private func shape(_ answer: String, to head: String) throws -> String {
        let text = answer.replacing(#/Date: [A-Za-z0-9,: ]+/#, with: "Date")
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
        publication: Rig.daily, secrets: SecretRing(current: secret), random: .seeded(4))

    private struct Missing: Error {}
}
