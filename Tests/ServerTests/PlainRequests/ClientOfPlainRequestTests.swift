import ContentGate
import EdgeTokens
import FrontDoors
import Gatefold
import Hummingbird
import NIOCore
import Primitives
import TestSupport
import Testing

@testable import Server

/// Tests that the client of a plain request is resolved, because an edge token bound to another address opens nothing.
@Suite("Client address of a plain request")
struct ClientOfPlainRequestTests {
    /// A backend that knows every reader and returns its results at once.
    private struct InstantBackend: SubscriberBackend {
        let name = "told"

        func authenticate(_ credentials: Credentials, context: CallContext) -> Fetched<AuthenticationResult> {
            Fetched(.authenticated(Subscriber(backend: name, key: credentials.identifier)))
        }
        func subscription(of subscriber: Subscriber, context: CallContext) -> Fetched<Subscription> {
            Fetched(Subscription(state: .active))
        }
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

    @Test("Edge tokens are bound to the address that a trusted proxy names", arguments: cases)
    func boundTokens(to given: Case) async throws {
        let clock = ManualClock()
        let authorizationService = try Self.authorizationService(clock)
        let directory = PublicationDirectory(
            default: authorizationService, byID: [authorizationService.publication.id: authorizationService])
        let publications = ReloadableSnapshot(
            ServingState(
                directory: directory, gate: try Gate([], clock: clock.wall), backends: LiveBackendRegistry(),
                frontDoors: [PugpigSnapshot(directory)],
                clients: ClientAddressResolver(trusted: given.trusted.compactMap { AddressBlock($0) })))
        let router = MainRouter(publications: publications, clock: clock.wall, readiness: { .ready })
        let signedIn = try await authorizationService.signIn(
            CallContext(fields: ["email": "ada@example.com", "password": "right"]))
        guard case .signedIn(let token, _, _) = signedIn else {
            Issue.record("not signed in")
            return
        }
        let target = "/edition_credentials?token=\(token)&product_id=ed-1"
        let fields = given.forwardedFor.map { [("X-Forwarded-For", $0)] } ?? []
        let request = PlainRequestServingTests.get(target, fields)
        let response = try await PlainRequestServingTests.exchange([request], router)[0]
        #expect(response.last?.contains("ip=\(given.client)~") == true, "\(response)")
    }

    private static func authorizationService(_ clock: ManualClock) throws -> AuthorizationService {
        let id = try #require(PublicationID("daily"))
        let secrets = SecretRing(current: Secret("kW8xVq2mTz5nRb7LcY3hJd9s"))
        var options = AkamaiEdgeToken.Options()
        options.bindsAddress = true
        let bound = try AkamaiEdgeToken(
            key: Secret("000102030405060708090a0b0c0d0e0f"), scope: .acl(["/{edition}/*"]), options: options)
        return AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .accessBased), edgeToken: bound),
            backend: InstantBackend(), tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(1)),
            editionSecrets: secrets, state: InMemoryStateStore(), revocations: RevocationList(publication: id),
            loginThrottle: UnlimitedLoginAttempts(), pseudonymKey: PseudonymKey(Secret("Zp4gQe6vXu1wNa8KfM5tHy2r")),
            clock: clock.wall, random: .seeded(2))
    }
}
