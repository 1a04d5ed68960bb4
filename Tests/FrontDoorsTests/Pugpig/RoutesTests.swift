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

@Suite("Paths, methods and headers of the Pugpig front door")
struct RoutesTests {
    private static let methods: [HTTPRequest.Method] = [
        .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect, .init("PROPFIND")!,
    ]

    private func expectNoCache(_ response: TestResponse, _ what: String) {
        #expect(
            response.headers[.cacheControl] == "no-store, no-cache, must-revalidate, private, max-age=0", "\(what)")
        #expect(response.headers[.init("Pragma")!] == "no-cache", "\(what)")
        #expect(response.headers[.expires] == "0", "\(what)")
        #expect(response.headers[.eTag] == nil, "\(what)")
        #expect(response.headers[.lastModified] == nil, "\(what)")
        #expect(response.headers[.setCookie] == nil, "\(what)")
        #expect(response.headers[.location] == nil, "\(what)")
    }

    @Test("Pitfall 16: every route forbids caching for every method")
    func everyRoute() async throws {
        var door = FrontDoorHarness.testUsers()
        door.routes.on("/broken") { _, _ in throw BrokenRoute() }
        door.routes.on("/refusing") { _, _ in throw HTTPError(.forbidden, message: "no") }
        door.routes.on("/validated") { _, _ in
            Response(status: .ok, headers: [.eTag: "\"1\"", .lastModified: "x"])
        }
        let paths = Set(door.routes.all.map(\.pattern.description))
        #expect(paths.count == 12 + 6 + 3)
        try await door.test { client in
            for path in paths.union(["/", "/nothing"]) {
                let path = path.replacing("{publication}", with: "title")
                for uri in [path, path + "/", path + "/x.css", path + "?token=llaevitca", "/" + path] {
                    for method in Self.methods {
                        expectNoCache(try await client.execute(uri: uri, method: method), "\(method) \(uri)")
                    }
                }
            }
        }
    }

    @Test("Responses of every status forbid caching", arguments: [200, 204, 304, 400, 401, 404, 500, 503])
    func everyStatus(status: Int) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            let response = try await client.call("sign_in", ["username": "\(status)-\(status)-\(status)"])
            #expect(response.status.code == status)
            expectNoCache(response, "\(status)")
        }
    }

    @Test("A response with its own Cache-Control is left unchanged")
    func ownCacheControl() async throws {
        var door = FrontDoorHarness.testUsers()
        door.routes.on("/download") { _, _ in
            Response(status: .ok, headers: [.cacheControl: "private", .eTag: "\"1\""])
        }
        try await door.test { client in
            let response = try await client.execute(uri: "/download", method: .get)
            #expect(response.headers[.cacheControl] == "private")
            #expect(response.headers[.eTag] == "\"1\"")
        }
    }

    @Test(
        "Pitfall 16: a path that only resembles a call is not found",
        arguments: [
            "/verify_subscription/x.css", "/title/verify_subscription/x.css", "//verify_subscription",
            "//title/verify_subscription", "/title//verify_subscription", "/verify_subscription//",
            "/title/verify_subscription//", "/verify%5Fsubscription", "/%76erify_subscription",
            "/verify_subscription%2F", "/verify_subscription;x.css", "/verify_subscription.css", "/Verify_Subscription",
            "/verify_subscription%00", "/other/verify_subscription", "/TITLE/verify_subscription",
            "/%74itle/verify_subscription", "/a/title/verify_subscription", "/./verify_subscription",
            "/title/../verify_subscription", "/../verify_subscription",
        ])
    func resemblingPaths(path: String) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            for method in [HTTPRequest.Method.get, .post, .head] {
                let response = try await client.execute(uri: path + "?token=llaevitca", method: method)
                #expect(response.status == .notFound)
                #expect(!String(buffer: response.body).contains("active"))
            }
        }
    }

    @Test("Without a default publication, a call must name one")
    func noDefault() async throws {
        let authorizationService = FrontDoorHarness.makeAuthorizationService(
            Publication(
                id: .title, credentialFields: CredentialFields(identifier: "a", proofs: []),
                rule: EntitlementRule(policy: .accessBased)), backend: ScriptedBackend(),
            tokens: SealedTokenCodec(
                publication: .title, secrets: SecretRing(current: Secret("s")), random: .seeded(1)),
            clock: ManualClock())
        let table = RouteTable([PugpigSnapshot(PublicationDirectory(byID: [.title: authorizationService]))])
        try await Application(responder: RuledResponder(table: table)).test(.router) { client in
            let unnamed = try await client.call("verify_subscription")
            #expect(unnamed.status == .notFound)
            let named = try await client.call("verify_subscription", [:], RequestStyle(hasPrefix: true))
            #expect(named.status == .ok)
        }
    }

    @Test("HEAD queries no backend and returns no body", arguments: RequestStyle.all)
    func head(spelling: RequestStyle) async throws {
        let backend = ScriptedBackend()
        try await FrontDoorHarness.scripted(backend).test { client in
            for call in ["sign_in", "renew_token", "verify_subscription", "edition_credentials"] {
                let response = try await client.execute(
                    uri: spelling.path(call) + "?username=a&password=right", method: .head)
                #expect(response.status == .ok)
                #expect(response.headers[.contentType] == "text/xml; charset=utf-8")
                #expect(response.body.readableBytes == 0)
            }
        }
        #expect(backend.queries.isEmpty)
    }

    @Test("OPTIONS and unsupported methods return the allowed methods")
    func methods() async throws {
        try await FrontDoorHarness.testUsers().test { client in
            for path in ["/sign_in", "/title/sign_in/"] {
                for (method, status) in [
                    (HTTPRequest.Method.options, HTTPResponse.Status.noContent), (.put, .methodNotAllowed),
                    (.delete, .methodNotAllowed), (.patch, .methodNotAllowed), (.trace, .methodNotAllowed),
                    (.init("PROPFIND")!, .methodNotAllowed), (.init("get")!, .methodNotAllowed),
                ] {
                    let response = try await client.execute(uri: path, method: method)
                    #expect(response.status == status)
                    #expect(response.headers[.allow] == "GET, HEAD, POST, OPTIONS")
                }
            }
            for path in ["/sign_in/x", "/other/sign_in", "/nothing"] {
                #expect(try await client.execute(uri: path, method: .init("PROPFIND")!).status == .notFound)
            }
        }
    }
}

private struct BrokenRoute: Error {}
