import BackendFixtures
import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("HTTP service")
struct HTTPServiceTests {
    private func with(
        _ body: (PHPService, any SubscriberBackend) async throws -> Void
    ) async throws {
        try await HTTPServiceFixture.run { fixture in
            try await body(fixture.service, try openService(fixture.settings, environment: fixture.environment))
        }
    }

    @Test("SOAP 1.2 works like SOAP 1.1")
    func soap12() async throws {
        try await SOAPFixture.run { fixture in
            let settings = fixture.settings.replacing("soap11", with: "soap12").replacing("\"1.1\"", with: "\"1.2\"")
            let backend = try openService(settings)
            for reader in StandardReaders.all {
                let subscriber = try #require(try await backend.authenticate(reader.fields, identifier: "email"))
                #expect(try await backend.subscription(of: subscriber).state == reader.state)
            }
            #expect(
                try await backend.authenticate(["email": "ada@example.com", "password": "x"], identifier: "email")
                    == nil)
            let request = try #require(try fixture.service.requests().first)
            #expect(
                request.header("content-type")
                    == "application/soap+xml; charset=utf-8; action=\"urn:subscribers#signIn\"")
            for mode in ["fault", "half", "empty", "page", "error"] {
                try fixture.service.setMode(mode)
                await #expect(throws: (any Error).self, "\(mode)") {
                    try await backend.authenticate(StandardReaders.ada.fields, identifier: "email")
                }
            }
        }
    }

    @Test("Pitfall 9: a SOAP fault, an empty body and half a document are outages")
    func soapOutages() async throws {
        try await SOAPFixture.run { fixture in
            let backend = try openService(fixture.settings)
            let ada = try #require(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email"))
            for mode in ["fault", "half", "empty", "page", "error", "missing"] {
                try fixture.service.setMode(mode)
                await #expect(throws: (any Error).self, "\(mode)") { try await backend.subscription(of: ada) }
                await #expect(throws: (any Error).self, "\(mode)") {
                    try await backend.authenticate(["email": "ada@example.com", "password": "x"], identifier: "email")
                }
            }
        }
    }

    @Test(
        "Pitfall 14: a blank or missing validity field neither signs in a reader nor activates a subscription",
        arguments: ["blank", "omitted", "half", "empty", "page"])
    func blankFields(mode: String) async throws {
        try await with { service, backend in
            let ada = try #require(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email"))
            try service.setMode(mode)
            for fields in [StandardReaders.ada.fields, ["email": "x@example.com", "password": "x"]] {
                await #expect(throws: (any Error).self) { try await backend.authenticate(fields, identifier: "email") }
            }
            await #expect(throws: (any Error).self) { try await backend.subscription(of: ada) }
        }
    }

    @Test("Pitfall 1: a response without its list of editions is an error")
    func missingList() async throws {
        try await with { service, backend in
            let ada = try #require(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email"))
            try service.setMode("omitted")
            await #expect(throws: MappingError.missingField("editions")) { try await backend.subscription(of: ada) }
        }
    }

    @Test("Blank and missing fields are rejected without a request")
    func blankCredentials() async throws {
        try await with { service, backend in
            for password in ["", " ", "\u{A0}"] {
                #expect(
                    try await backend.authenticate(
                        ["email": "ada@example.com", "password": password], identifier: "email")
                        == nil)
            }
            #expect(try await backend.authenticate(["email": "ada@example.com"], identifier: "email") == nil)
            let requests = try service.requests()
            #expect(requests.isEmpty)
        }
    }

    @Test("A subscriber of another backend, or with a malformed session, is unknown")
    func foreign() async throws {
        try await with { service, backend in
            for session in [nil, "", "{}", "{\"k\":{}}", "{\"v\":\"x\",\"k\":{\"id\":\"r-1\"}}", "r-1"] {
                let subscriber = Subscriber(backend: "legacy", key: "ada@example.com", upstreamSession: session)
                #expect(try await backend.subscription(of: subscriber) == Subscription(state: .unknown))
            }
            let requests = try service.requests()
            #expect(requests.isEmpty)
        }
    }

    /// Hostile input from readers who try to impersonate others.
    private static let hostile = [
        "' OR 1=1--", "a&b=c", "a=b", "a+b c", "%41%00%0d%0a", "x\",\"admin\":true,\"y\":\"", "]]><x>", "<!--", "&xxe;",
        "&amp;",
        "</v><v>", "\"><evil a=\"", "../../admin", "..%2f..", "a/b?c#d", "a;b", "\\\"", "\\", "{v}", "{{v}}", "{key}",
        "%{var}",
        "${x}", "é ü ß 😀", "\u{202E}x", "a\u{301}", "\u{FEFF}x", "//evil.example/", "a@b:c", "null", "true", "1e5",
        "[]", "=1+1",
        "x\u{2028}y", "~-_.!*'()", "#", "?", "x,y", "\"", "'",
    ]

    private static func echo(_ service: PHPService, _ call: String) throws -> any SubscriberBackend {
        try openService(
            """
            kind: http
            base: \(service.base)
            credentials: {identifier: name, proofs: [v]}
            calls:
              sign_in:
            \(call.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n"))
                read: {result: {json: /result}}
                authenticated: {when: {result: ok}}
                rejected: {status: [401], by_status: true}
              subscription: {read: {state: text}}
            """)
    }

    @Test("Pitfall 13: hostile input arrives unchanged, in one request, in every place")
    func injection() async throws {
        try await PHPService.run { service in
            let calls: [(String, (PHPService.Request, String) throws -> String?)] = [
                ("url: \"/echo/path/{v}?n={name}\"", { _, seen in try Seen(seen).path }),
                ("url: \"/echo/query?a=1&v={v}&n={name}\"", { request, _ in request.query["v"] }),
                (
                    "url: /echo\nquery: {v: \"{v}\", n: \"{name}\", a&b: \"=\"}",
                    { request, _ in
                        request.query["a&b"] == "=" ? request.query["v"] : nil
                    }
                ),
                (
                    "url: /echo\nbody: {form: {a=b: \"&\", v: \"{v}\", n: \"{name}\"}}",
                    { request, _ in
                        request.form.count == 3 ? request.form["v"] : nil
                    }
                ),
                (
                    "url: /echo\nbody: {json: {v: \"{v}\", n: \"{name}\"}}",
                    { _, seen in
                        let json = try Seen(seen).json
                        return json?.count == 2 ? json?["v"] : nil
                    }
                ),
                ("url: /echo\nheaders: {X-V: \"{v}\", X-N: \"{name}\"}", { request, _ in request.header("x-v") }),
                (
                    "url: /echo\nbody: {text: {body: \"{name} {v}\"}}",
                    { request, _ in
                        String(request.bodyText.dropFirst("reader ".count))
                    }
                ),
                (
                    "url: /echo\nauthorization: {basic: {user: \"{name}\", password: \"{v}\"}}",
                    { request, _ in
                        request.basicUser == "reader" ? request.basicPassword : nil
                    }
                ),
            ]
            for (call, received) in calls {
                let backend = try Self.echo(service, call)
                // A path that leads elsewhere is never requested.
                for text in Self.hostile where !(call.contains("/path/") && text == "../../admin") {
                    try service.clearRequests()
                    let subscriber = try await backend.authenticate(["name": "reader", "v": text], identifier: "name")
                    #expect(subscriber != nil, "\(call) \(text)")
                    let requests = try service.requests()
                    #expect(requests.count == 1, "\(call) \(text)")
                    let seen = try service.seen()
                    #expect(try received(try #require(requests.first), seen.last ?? "") == text, "\(call)")
                }
            }
        }
    }

    private struct Seen: Decodable {
        var path: String
        var json: [String: String]?

        init(_ line: String) throws {
            self = try JSONDecoder().decode(Seen.self, from: Data(line.utf8))
            path = String(decoding: Data(base64Encoded: path) ?? Data(), as: UTF8.self)
        }
    }

    @Test("Pitfall 13: input that its place cannot carry is rejected without a request")
    func unsendable() async throws {
        try await PHPService.run { service in
            for (call, text) in [
                ("url: \"/echo/path/{v}?n={name}\"", ".."), ("url: \"/echo/path/{v}?n={name}\"", "."),
                ("url: \"/echo/path/{v}?n={name}\"", "../../admin"), ("url: \"/echo/path/{v}?n={name}\"", "x\\..\\y"),
                ("url: /echo\nheaders: {Cookie: \"u={name}; v={v}\"}", "a; admin=1"),
                ("url: /echo\nheaders: {X-V: \"v=\\\"{v}\\\", n={name}\"}", "a\", b=\"c"),
                ("url: /echo\nheaders: {X-V: \"{v}\", X-N: \"{name}\"}", "a\r\nX-Admin: 1"),
                ("url: /echo\nheaders: {X-V: \"{v}\", X-N: \"{name}\"}", " x"),
                ("url: /echo\nheaders: {X-V: \"{v}\", X-N: \"{name}\"}", "a\u{85}b"),
                ("url: /echo\nauthorization: {basic: {user: \"{v}\", password: \"{name}\"}}", "a:b"),
                ("url: /echo\nauthorization: {basic: {user: \"{v}\", password: \"{name}\"}}", "a\u{0}b"),
                ("url: /echo\nauthorization: {digest: {user: \"{v}\", password: \"{name}\"}}", "a:b"),
                ("url: /echo\nbody: {xml: \"<a n='{name}'>{v}</a>\"}", "a\u{FFFF}"),
                ("url: /echo\nbody: {text: {body: \"{name} {v}\"}}", "a\nb"),
            ] {
                let backend = try Self.echo(service, call)
                #expect(
                    try await backend.authenticate(["name": "reader", "v": text], identifier: "name") == nil, "\(call)")
            }
            let requests = try service.requests()
            #expect(requests.isEmpty)
        }
    }

    @Test("A 401 that rejects a sign-in keeps the access token, and no request is sent twice")
    func rejectedSignIn() async throws {
        try await PHPService.run { service in
            let backend = try openService(
                """
                kind: http
                base: \(service.base)/oauth
                credentials: {identifier: email, proofs: [password]}
                authorization:
                  oauth2: {token_url: \(service.base)/oauth/token, client: gate fold, secret: {env: SECRET}}
                calls:
                  sign_in:
                    url: /sign-in
                    body: {form: {email: "{email}", password: "{password}"}}
                    read: {result: {json: /result}}
                    authenticated: {when: {result: ok}}
                    rejected: {status: [401], when: {result: unknown}}
                  subscription: {url: /subscription, read: {state: {json: /status}}}
                """, environment: ["SECRET": "sëcret:+"])
            func requests(_ path: String) throws -> Int {
                try service.requests().filter { $0.uri == "/oauth/\(path)" }.count
            }
            try service.setMode("refuse")
            for _ in 0..<3 {
                #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") == nil)
            }
            #expect(try requests("token") == 1)
            #expect(try requests("sign-in") == 3)
            // The service reports an invalid token, so the request is sent once more with a new one.
            try service.setMode("")
            try Data("1".utf8).write(to: service.folder.appending(path: "revoked"))
            try Data("".utf8).write(to: service.folder.appending(path: "says-why"))
            #expect(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") != nil)
            #expect(try requests("token") == 2)
            #expect(try requests("sign-in") == 5)
        }
    }

    @Test("A stale or unknown upstream session is not renewed")
    func staleRenewal() async throws {
        try await with { service, backend in
            let ada = try #require(try await backend.authenticate(StandardReaders.ada.fields, identifier: "email"))
            for (state, isRenewed) in [
                ("active", true), ("inactive", true), ("suspended", true), ("stale", false), ("unknown", false),
            ] {
                try service.change(StandardReaders.ada.email) { $0.state = state }
                let renewal = try await backend.resolved.renew(ada, context: CallContext())
                #expect((renewal == .authenticated(ada)) == isRenewed, "\(state)")
            }
        }
    }

    @Test("A client credentials token is fetched once, shared, and fetched again when rejected")
    func clientCredentials() async throws {
        let clock = ManualClock()
        try await PHPService.run { service in
            let backend = try openService(
                """
                kind: http
                base: \(service.base)/oauth
                credentials: {identifier: email, proofs: [password]}
                authorization:
                  oauth2: {token_url: \(service.base)/oauth/token, client: gate fold, secret: {env: SECRET}, scope: a b}
                calls:
                  sign_in:
                    url: /sign-in
                    query: {email: "{email}", password: "{password}"}
                    read: {result: {json: /result}}
                    authenticated: {when: {result: ok}}
                    rejected: {when: {result: unknown}}
                  subscription:
                    url: /subscription
                    read: {state: {json: /status}, editions: {json: /editions}}
                subscription: {editions: {}}
                """, environment: ["SECRET": "sëcret:+"], clock: clock.wall)
            try await withThrowingTaskGroup(of: Subscriber?.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await backend.authenticate(StandardReaders.ada.fields, identifier: "email") }
                }
                for try await subscriber in group { #expect(subscriber != nil) }
            }
            func tokenRequests() throws -> [PHPService.Request] {
                try service.requests().filter { $0.uri == "/oauth/token" }
            }
            #expect(try tokenRequests().count == 1)
            #expect(try tokenRequests()[0].form == ["grant_type": "client_credentials", "scope": "a b"])
            try Data("1".utf8).write(to: service.folder.appending(path: "revoked"))
            let ada = Subscriber(backend: "legacy", key: "ada@example.com")
            #expect(try await backend.subscription(of: ada).state == .active)
            #expect(try tokenRequests().count == 2)
            try Data("99".utf8).write(to: service.folder.appending(path: "revoked"))
            await #expect(throws: ServiceFailure.unrecognizedResponse(.subscription, status: 401)) {
                try await backend.subscription(of: ada)
            }
            #expect(try tokenRequests().count == 2, "the last token was fetched just now")
            clock.advance(by: 10)
            await #expect(throws: ServiceFailure.unrecognizedResponse(.subscription, status: 401)) {
                try await backend.subscription(of: ada)
            }
            #expect(try tokenRequests().count == 3)
        }
    }
}
