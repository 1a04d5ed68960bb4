import Backends
import ContentGate
import Foundation
import FrontDoors
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import Gatefold
@testable import Server

/// Most of what the lane answers is asked by readers who are signed in, about editions that are theirs and not everybody's.
@Suite("Readers in the fast lane")
struct LaneReaderTests {
    private static let mine = EditionID("ed-1")!
    private static let another = EditionID("ed-2")!

    /// One publication, whose subscriber system stands behind its protection, and a reader who is signed in.
    private struct Rig {
        let system: ScriptedBackend
        let protected: ProtectedBackend
        let proxy: PublicationProxy
        let token: String
        let router: Router<GatefoldRequestContext>
        let lane: LaneAnswers

        /// - Parameter trusted: addresses of proxies.
        init(trusted: [String] = []) async throws {
            let clock = ManualClock()
            let id = try #require(PublicationID("daily"))
            let secrets = SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let references = ReferenceKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
            let system = ScriptedBackend()
            let protected = ProtectedBackend(
                system, decidesEditions: false,
                services: BackendServices(
                    clock: clock.wall, random: .seeded(3),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    references: references))
            let catalogue = CurrentCatalogue(
                Catalogue(
                    [LaneReaderTests.mine, LaneReaderTests.another].map {
                        Edition(id: $0, title: "T", published: clock.now.addingTimeInterval(-86_400))
                    }))
            let revocations = RevocationList(publication: id)
            let proxy = PublicationProxy(
                publication: Publication(
                    id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(policy: .issueBased, catalogue: catalogue)),
                backend: protected, tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(1)),
                editionSecrets: secrets, state: VolatileStateStore(), revocations: revocations,
                guesses: UnlimitedGuesses(), references: references, clock: clock.wall, random: .seeded(2))
            let gate = try Gate(
                [
                    GatePublication(
                        id: id, layout: try ContentLayout(prefix: "/content/daily/"),
                        verifier: EditionCredentialsVerifier(
                            publication: id, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 60),
                        revocations: revocations, catalogue: catalogue)
                ], clock: clock.wall)
            let publications = CurrentPublications(
                PublicationSet(
                    directory: PublicationDirectory(default: proxy, byID: [id: proxy]), gate: gate,
                    backends: OpenBackends(),
                    clients: ClientAddressResolver(trusted: trusted.compactMap { AddressBlock($0) })))
            router = MainRouter.make(publications: publications, clock: clock.wall, readiness: { .ready })
            lane = LaneAnswers(
                publications: publications, keeper: GateKeeper(current: { publications.value.gate }), log: AccessLog(),
                clock: clock.wall)
            let answer = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "right"]))
            guard case .signedIn(let token, _, _) = answer else { throw NotSignedIn() }
            self.token = token
            self.proxy = proxy
            self.system = system
            self.protected = protected
        }

        /// The value of `Authorization` that opens the edition.
        func pair(_ edition: EditionID) throws -> String {
            let session = try #require(proxy.session(token: token))
            let issued = try proxy.credentials.issue(
                edition, for: proxy.holder(of: session), until: session.expiresAt, sealing: true)
            return "Basic " + Data("\(issued.userid):\(issued.password)".utf8).base64EncodedString()
        }

        /// The lane's own answer, where it has one.
        func laneAnswer(to request: String, from address: String = "127.0.0.1") -> [String]? {
            var bytes = ByteBuffer(string: request)
            var out: ByteBuffer?
            let peer = LanePeer(address: ClientAddress(address))
            guard lane.answer(&bytes, peer, LaneMemory(), into: &out) else { return nil }
            return out.map { FastLaneTests.lines(of: String(buffer: $0)) }
        }
    }

    private struct NotSignedIn: Error {}

    static let subscriptions = [
        Subscription(state: .active, entitlement: .editions([mine, another])),
        Subscription(state: .active, message: "Für <b>Sie</b> & \"alle\"."),
        Subscription(state: .inactive, entitlement: .editions([mine])), Subscription(state: .suspended),
        Subscription(state: .unknown), Subscription(state: .stale),
    ]

    @Test(
        "verify their subscriptions from memory, byte for byte as further in, where the subscriber system is asked",
        arguments: subscriptions)
    func verification(told: Subscription) async throws {
        let rig = try await Rig()
        rig.system.answer(told)
        let variants: [[(String, String)]] = [[], [("Accept-Language", "de")], [("X-Forwarded-For", "192.0.2.1")]]
        for path in ["/verify_subscription", "/daily/verify_subscription"] {
            for fields in variants {
                let request = FastLaneTests.get("\(path)?token=\(rig.token)", fields)
                let name = Comment(rawValue: "\(path) \(fields)")
                rig.protected.flush(.all)
                #expect(rig.laneAnswer(to: request) == nil, name)
                let before = rig.system.questions.count
                let plain = try await FastLaneTests.lines(ofAnswerTo: request, rig.router, nil)
                #expect(rig.system.questions.count == before + 1, name)
                #expect(plain.first == "HTTP/1.1 200 OK", name)
                #expect(plain.contains { $0.contains(" state=\"\(told.state.rawValue)\"") }, "\(plain)")
                let fast = try await FastLaneTests.lines(ofAnswerTo: request, rig.router, rig.lane)
                #expect(fast == plain, name)
                #expect(rig.laneAnswer(to: request) == plain, name)
                #expect(rig.system.questions.count == before + 1, name)
            }
        }
    }

    @Test("download what their pairs open, and nothing else, byte for byte as further in")
    func authRequests() async throws {
        let rig = try await Rig()
        let uri = ("X-Original-URI", "/content/daily/\(Self.mine).zip")
        let right = ("Authorization", try rig.pair(Self.mine))
        let variants: [(fields: [(String, String)], status: String, isInLane: Bool)] = [
            ([uri, right], "200 OK", true), ([right, uri, ("X-Original-Method", "GET")], "200 OK", true),
            ([uri, right, ("X-Forwarded-For", "192.0.2.1")], "200 OK", true),
            ([("X-Original-URI", "/content/daily/\(Self.another).zip"), right], "403 Forbidden", true),
            ([uri, ("Authorization", try rig.pair(Self.another))], "403 Forbidden", true),
            ([uri], "403 Forbidden", true), ([uri, right, ("X-Original-Method", "HEAD")], "200 OK", false),
            ([uri, right, ("X-Original-Method", "POST")], "403 Forbidden", false),
            ([("X-Original-URI", "\(uri.1),\(uri.1)"), right], "403 Forbidden", false),
            ([("X-Original-URI", "content/daily/\(Self.mine).zip"), right], "403 Forbidden", false),
            ([right], "403 Forbidden", false),
        ]
        for (fields, status, isInLane) in variants {
            let request = FastLaneTests.get("/auth-request/original-uri", fields)
            let plain = try await FastLaneTests.lines(ofAnswerTo: request, rig.router, nil)
            #expect(plain.first == "HTTP/1.1 \(status)", "\(request)")
            #expect(plain.contains { $0.hasPrefix("X-Gatefold-Subscriber: ") } == (status == "200 OK"), "\(request)")
            let fast = try await FastLaneTests.lines(ofAnswerTo: request, rig.router, rig.lane)
            #expect(fast == plain, "\(request)")
            #expect(rig.laneAnswer(to: request) == (isInLane ? plain : nil), "\(request)")
        }
    }

    @Test("Pitfall 11: are let in by the word of this machine and of trusted proxies only")
    func authRequestPeers() async throws {
        let rig = try await Rig(trusted: ["192.0.2.7/32"])
        let request = FastLaneTests.get(
            "/auth-request/original-uri",
            [("X-Original-URI", "/content/daily/\(Self.mine).zip"), ("Authorization", try rig.pair(Self.mine))])
        for (address, isTrusted) in [
            ("127.0.0.1", true), ("::1", true), ("192.0.2.7", true), ("192.0.2.8", false), ("2001:db8::1", false),
            ("128.0.0.1", false), ("nobody", false),
        ] {
            let answer = rig.laneAnswer(to: request, from: address)
            #expect(answer?.first == (isTrusted ? "HTTP/1.1 200 OK" : nil), "\(address)")
        }
    }
}
