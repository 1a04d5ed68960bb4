import ContentGate
import FrontDoors
import Gatefold
import Hummingbird
import NIOCore
import TestSupport
import Testing

@testable import Server

/// An edge token that is bound to somebody else's address opens nothing: the lane must know who asks as well as the handlers
/// further in.
@Suite("Who asks, in the fast lane")
struct LaneClientTests {
    /// Knows everybody, and what it would say of them.
    private struct Told: SubscriberBackend {
        let name = "told"

        func recognise(_ credentials: Credentials, inquiry: Inquiry) -> Recognition {
            .recognised(Subscriber(backend: name, key: credentials.identifier))
        }
        func subscription(of subscriber: Subscriber, inquiry: Inquiry) -> Subscription {
            Subscription(state: .active)
        }
        func rememberedSubscription(of subscriber: Subscriber, inquiry: Inquiry) -> Remembered<Subscription>? {
            Remembered(Subscription(state: .active))
        }
        func rememberedVerdict(
            on edition: EditionID, for subscriber: Subscriber, inquiry: Inquiry
        ) -> Remembered<RememberedVerdict>? { Remembered(RememberedVerdict.none) }
    }

    struct Case: Sendable {
        let trusted: [String]
        let forwardedFor: String?
        let client: String
    }

    static let cases = [
        Case(trusted: ["127.0.0.1/32"], forwardedFor: nil, client: "127.0.0.1"),
        Case(trusted: ["127.0.0.1/32"], forwardedFor: "203.0.113.7", client: "203.0.113.7"),
        Case(trusted: ["127.0.0.1/32"], forwardedFor: "198.51.100.1, 203.0.113.7", client: "203.0.113.7"),
        Case(
            trusted: ["127.0.0.1/32", "203.0.113.0/24"], forwardedFor: "198.51.100.1, 203.0.113.7",
            client: "198.51.100.1"),
        Case(trusted: ["127.0.0.1/32"], forwardedFor: "somebody", client: "127.0.0.1"),
        Case(trusted: [], forwardedFor: "203.0.113.7", client: "127.0.0.1"),
    ]

    @Test("is whom a trusted proxy names, as further in: edge tokens are bound to their address", arguments: cases)
    func boundTokens(to given: Case) async throws {
        let clock = ManualClock()
        let proxy = try Self.proxy(clock)
        let publications = CurrentPublications(
            PublicationSet(
                directory: PublicationDirectory(default: proxy, byID: [proxy.publication.id: proxy]),
                gate: try Gate([], clock: clock.wall), backends: OpenBackends(),
                clients: ClientAddressResolver(trusted: given.trusted.compactMap { AddressBlock($0) })))
        let router = MainRouter.make(publications: publications, clock: clock.wall, readiness: { .ready })
        let lane = LaneAnswers(
            publications: publications, keeper: GateKeeper(current: { publications.value.gate }), log: AccessLog(),
            clock: clock.wall)
        let answer = try await proxy.signIn(Inquiry(fields: ["email": "ada@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = answer else {
            Issue.record("not signed in")
            return
        }
        let target = "/edition_credentials?token=\(token)&product_id=ed-1"
        let fields = given.forwardedFor.map { [("X-Forwarded-For", $0)] } ?? []
        let request = FastLaneTests.get(target, fields)
        let plain = try await FastLaneTests.exchange([request], router, nil)[0].map(Self.shape)
        let fast = try await FastLaneTests.exchange([request], router, lane)[0].map(Self.shape)
        #expect(fast == plain)
        #expect(plain.last?.contains("ip=\(given.client)~") == true, "\(plain)")
        // It was the lane that answered.
        var bytes = ByteBuffer(string: request)
        var out: ByteBuffer?
        #expect(lane.answer(&bytes, LanePeer(address: ClientAddress("127.0.0.1")), LaneMemory(), into: &out))
        #expect(out.map { String(buffer: $0).contains("ip=\(given.client)~") } == true)
    }

    private static func proxy(_ clock: ManualClock) throws -> PublicationProxy {
        let id = try #require(PublicationID("daily"))
        let secrets = SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
        var options = AkamaiEdgeToken.Options()
        options.bindsAddress = true
        let bound = try AkamaiEdgeToken(
            key: Secret("000102030405060708090a0b0c0d0e0f"), scope: .acl(["/{edition}/*"]), options: options)
        return PublicationProxy(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .accessBased), edgeTokens: [bound]),
            backend: Told(), tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(1)),
            editionSecrets: secrets, state: VolatileStateStore(), revocations: RevocationList(publication: id),
            guesses: UnlimitedGuesses(), references: ReferenceKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r")),
            clock: clock.wall, random: .seeded(2))
    }

    /// A part of an answer, but for what is random in it.
    private static func shape(_ text: String) -> String {
        text.replacing(#/<userid>.*<\/password>/#, with: "credentials")
    }
}
