import Backends
import ContentGate
import Foundation
import FrontDoors
import Hummingbird
import NIOCore
import NIOEmbedded
import PasswordHashing
import Primitives
import Resilience
import TestSupport
import Testing

@testable import Gatefold
@testable import Server

/// Tests the most frequent plain requests: those of signed-in readers with their own editions.
@Suite("Plain requests of signed-in readers")
struct PlainReaderRequestTests {
    private static let mine = EditionID("ed-1")!
    private static let another = EditionID("ed-2")!

    /// One publication with a protected backend and a signed-in reader.
    private struct Harness {
        let system: ScriptedBackend
        let protected: ProtectedBackend
        let authorizationService: AuthorizationService
        let token: String
        let router: MainRouter

        /// - Parameter trusted: Addresses of proxies.
        init(trusted: [String] = []) async throws {
            let clock = ManualClock()
            let id = try #require(PublicationID("daily"))
            let secrets = SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
            let pseudonymKey = PseudonymKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r"))
            let system = ScriptedBackend()
            let protected = ProtectedBackend(
                system, decidesEditions: false,
                services: BackendServices(
                    clock: clock.wall, random: .seeded(3),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    pseudonymKey: pseudonymKey))
            let catalogue = CurrentCatalogue(
                Catalogue(
                    [PlainReaderRequestTests.mine, PlainReaderRequestTests.another].map {
                        Edition(id: $0, title: "T", published: clock.now.addingTimeInterval(-86_400))
                    }))
            let revocations = RevocationList(publication: id)
            let authorizationService = AuthorizationService(
                publication: Publication(
                    id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                    rule: EntitlementRule(policy: .issueBased, catalogue: catalogue)),
                backend: protected, tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(1)),
                editionSecrets: secrets, state: InMemoryStateStore(), revocations: revocations,
                loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: pseudonymKey, clock: clock.wall,
                random: .seeded(2))
            let gate = try Gate(
                [
                    GatePublication(
                        id: id, layout: try ContentLayout(prefix: "/content/daily/"),
                        verifier: EditionCredentialsVerifier(
                            publication: id, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 60),
                        revocations: revocations, catalogue: catalogue)
                ], clock: clock.wall)
            let directory = PublicationDirectory(
                default: authorizationService, byID: [id: authorizationService])
            let publications = ReloadableSnapshot(
                ServingState(
                    directory: directory, gate: gate, backends: LiveBackendRegistry(),
                    frontDoors: [PugpigSnapshot(directory)],
                    clients: ClientAddressResolver(trusted: trusted.compactMap { AddressBlock($0) })))
            router = MainRouter(publications: publications, clock: clock.wall, readiness: { .ready })
            let response = try await authorizationService.signIn(
                CallContext(fields: ["email": "ada@example.com", "password": "right"]))
            guard case .signedIn(let token, _, _) = response else { throw NotSignedIn() }
            self.token = token
            self.authorizationService = authorizationService
            self.system = system
            self.protected = protected
        }

        /// Returns the value of `Authorization` that opens the edition.
        func pair(_ edition: EditionID) throws -> String {
            let session = try #require(authorizationService.session(token: token))
            let issued = try authorizationService.credentials.issue(
                edition, for: authorizationService.subject(of: session), until: session.expiresAt, sealing: true)
            return "Basic " + Data("\(issued.userid):\(issued.password)".utf8).base64EncodedString()
        }

        /// Returns the lines of the response that is complete before anything is waited for, or nil if there is none.
        func immediateResponse(to request: String, from address: String = "127.0.0.1") throws -> [String]? {
            let handler = PlainRequestHandler(PlainRequestServingTests.responder(router))
            let channel = EmbeddedChannel(handler: handler)
            defer { _ = try? channel.finish() }
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            try channel.writeInbound(ByteBuffer(string: request))
            if handler.isResponding { return nil }
            // The response is sent after all requests that have arrived.
            channel.embeddedEventLoop.run()
            return try channel.readOutbound(as: ByteBuffer.self).map {
                PlainRequestServingTests.lines(of: String(buffer: $0))
            }
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
        "A verification from the cache is complete at once, and equals the one of Hummingbird's channel byte for byte",
        arguments: subscriptions)
    func verification(reported: Subscription) async throws {
        let harness = try await Harness()
        harness.system.response(reported)
        let variants: [[(String, String)]] = [[], [("Accept-Language", "de")], [("X-Forwarded-For", "192.0.2.1")]]
        for path in ["/verify_subscription", "/daily/verify_subscription"] {
            for fields in variants {
                let request = PlainRequestServingTests.get("\(path)?token=\(harness.token)", fields)
                let name = Comment(rawValue: "\(path) \(fields)")
                harness.protected.flush(.all)
                let before = harness.system.queries.count
                let expected = try await PlainRequestServingTests.lines(
                    ofResponseTo: request, harness.router, isReference: true)
                #expect(harness.system.queries.count == before + 1, name)
                #expect(expected.first == "HTTP/1.1 200 OK", name)
                #expect(expected.contains { $0.contains(" state=\"\(reported.state.rawValue)\"") }, "\(expected)")
                let response = try await PlainRequestServingTests.lines(ofResponseTo: request, harness.router)
                #expect(response == expected, name)
                #expect(try harness.immediateResponse(to: request) == expected, name)
                #expect(harness.system.queries.count == before + 1, name)
            }
        }
    }

    @Test("An auth request is complete at once and opens the paired edition only")
    func authRequests() async throws {
        let harness = try await Harness()
        let uri = ("X-Original-URI", "/content/daily/\(Self.mine).zip")
        let right = ("Authorization", try harness.pair(Self.mine))
        let variants: [(fields: [(String, String)], status: String)] = [
            ([uri, right], "200 OK"), ([right, uri, ("X-Original-Method", "GET")], "200 OK"),
            ([uri, right, ("X-Forwarded-For", "192.0.2.1")], "200 OK"),
            ([("X-Original-URI", "/content/daily/\(Self.another).zip"), right], "403 Forbidden"),
            ([uri, ("Authorization", try harness.pair(Self.another))], "403 Forbidden"),
            ([uri], "403 Forbidden"), ([uri, right, ("X-Original-Method", "HEAD")], "200 OK"),
            ([uri, right, ("X-Original-Method", "POST")], "403 Forbidden"),
            ([("X-Original-URI", "\(uri.1),\(uri.1)"), right], "403 Forbidden"),
            ([("X-Original-URI", "content/daily/\(Self.mine).zip"), right], "403 Forbidden"),
            ([right], "403 Forbidden"),
        ]
        for (fields, status) in variants {
            let request = PlainRequestServingTests.get("/auth-request/original-uri", fields)
            let expected = try await PlainRequestServingTests.lines(
                ofResponseTo: request, harness.router, isReference: true)
            #expect(expected.first == "HTTP/1.1 \(status)", "\(request)")
            #expect(
                expected.contains { $0.hasPrefix("X-Gatefold-Subscriber: ") } == (status == "200 OK"), "\(request)")
            #expect(try harness.immediateResponse(to: request) == expected, "\(request)")
        }
    }

    @Test("Pitfall 11: auth requests are accepted from this machine and trusted proxies only")
    func authRequestPeers() async throws {
        let harness = try await Harness(trusted: ["192.0.2.7/32"])
        let request = PlainRequestServingTests.get(
            "/auth-request/original-uri",
            [("X-Original-URI", "/content/daily/\(Self.mine).zip"), ("Authorization", try harness.pair(Self.mine))])
        for (address, isTrusted) in [
            ("127.0.0.1", true), ("::1", true), ("192.0.2.7", true), ("192.0.2.8", false), ("2001:db8::1", false),
            ("128.0.0.1", false),
        ] {
            let response = try harness.immediateResponse(to: request, from: address)
            #expect(response?.first == (isTrusted ? "HTTP/1.1 200 OK" : "HTTP/1.1 403 Forbidden"), "\(address)")
        }
    }
}
