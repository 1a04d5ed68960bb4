import Backends
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import TestSupport
import Testing
import XML

/// A front door on a router, without a socket.
struct FrontDoorHarness {
    static let secret = "a secret of the edition formula"
    let clock: ManualClock
    var routes: Routes

    /// Serves one publication as the default and under the name `title`.
    init(
        clock: ManualClock = ManualClock(), client: ClientAddress? = nil,
        authorizationService: (ManualClock) -> AuthorizationService
    ) {
        self.clock = clock
        let authorizationService = authorizationService(clock)
        let directory = PublicationDirectory(
            default: authorizationService, byID: [authorizationService.publication.id: authorizationService])
        routes = Routes(clients: RequestClients(address: { _, _ in client }))
        PugpigSnapshot(directory).addRoutes(to: &routes)
    }

    /// Returns a front door with the publication of the test users.
    static func testUsers(clock: ManualClock = ManualClock(), hasDebugNotes: Bool = false) -> FrontDoorHarness {
        FrontDoorHarness(clock: clock, client: ClientAddress("192.0.2.7")) { clock in
            makeAuthorizationService(
                TestPublication.make(.title, hasDebugNotes: hasDebugNotes),
                backend: TestUsersBackend(
                    clock: clock.wall, random: .seeded(7),
                    sleep: { clock.advance(by: TimeInterval($0.components.seconds)) }),
                tokens: TestTokenCodec(publication: .title), clock: clock)
        }
    }

    /// Returns a front door with an ordinary publication and a scripted backend.
    static func scripted(
        _ backend: any SubscriberBackend, loginThrottle: any LoginThrottling = UnlimitedLoginAttempts(),
        change: (inout Publication) -> Void = { _ in }
    ) -> FrontDoorHarness {
        var publication = Publication(
            id: .title, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
            rule: EntitlementRule(policy: .backendDecides))
        change(&publication)
        return FrontDoorHarness { clock in
            makeAuthorizationService(
                publication, backend: backend,
                tokens: SealedTokenCodec(
                    publication: .title, secrets: SecretRing(current: Secret(secret)), random: .seeded(3)),
                clock: clock, loginThrottle: loginThrottle)
        }
    }

    static func makeAuthorizationService(
        _ publication: Publication, backend: any SubscriberBackend, tokens: any TokenCodec, clock: ManualClock,
        loginThrottle: any LoginThrottling = UnlimitedLoginAttempts()
    ) -> AuthorizationService {
        AuthorizationService(
            publication: publication, backend: backend, tokens: tokens,
            editionSecrets: SecretRing(current: Secret(secret)), state: InMemoryStateStore(),
            revocations: RevocationList(publication: publication.id), loginThrottle: loginThrottle,
            pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")), clock: clock.wall, random: .seeded(5))
    }

    func test(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await Application(responder: RuledResponder(table: RouteTable(routes))).test(.router, body)
    }
}

extension PublicationID {
    static let title = PublicationID("title")!
}

/// One of the ways in which an app can encode the same call.
struct RequestStyle: Sendable, CustomTestStringConvertible {
    enum Style: String, CaseIterable { case query, form, json }

    var style = Style.query
    var hasSlash = false
    var hasPrefix = false

    static let all = Style.allCases.flatMap { style in
        [false, true].flatMap { slash in
            [false, true].map { RequestStyle(style: style, hasSlash: slash, hasPrefix: $0) }
        }
    }

    var testDescription: String { "\(style.rawValue) \(path("NAME"))" }

    func path(_ call: String) -> String { (hasPrefix ? "/title/" : "/") + call + (hasSlash ? "/" : "") }
}

extension TestClientProtocol {
    /// Makes a call with its fields.
    func call(_ name: String, _ fields: [String: String] = [:], _ spelling: RequestStyle = RequestStyle()) async throws
        -> TestResponse
    {
        let encoded = fields.map { "\(percentEncoded($0))=\(percentEncoded($1))" }.joined(separator: "&")
        let path = spelling.path(name)
        switch spelling.style {
        case .query:
            return try await execute(uri: path + (encoded.isEmpty ? "" : "?" + encoded), method: .get)
        case .form:
            return try await execute(
                uri: path, method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
                body: ByteBuffer(string: encoded))
        case .json:
            return try await execute(
                uri: path, method: .post, headers: [.contentType: "application/json; charset=utf-8"],
                body: ByteBuffer(bytes: Array(try JSONEncoder().encode(fields))))
        }
    }
}

func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
        guard byte < 0x80 else { return String(format: "%%%02X", byte) }
        return Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
            ? String(Character(Unicode.Scalar(byte))) : String(format: "%%%02X", byte)
    }.joined()
}
