import ContentGate
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite("Gate middleware in front of a custom server")
struct GateMiddlewareTests {
    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        var content: AllowedContent?

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
        }
    }

    private static func application(_ evaluator: GateEvaluator) -> some ApplicationProtocol {
        let router = Router(context: Context.self)
        router.add(middleware: GateMiddleware(evaluator) { $0.content = $1 })
        router.get("content/**") { request, context in
            "\(request.uri.string) \(context.content?.edition?.rawValue ?? "-")"
        }
        return Application(router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("passes allowed requests on, with the path that was checked")
    func allows() async throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        try await Self.application(GateEvaluator(fixture.gate)).test(.router) { client in
            let uri = "/content/daily/%65d-1/x?q=1"
            try await client.execute(uri: uri, method: .get, headers: [.authorization: header]) { response in
                #expect(response.status == .ok)
                #expect(String(buffer: response.body) == "/content/daily/ed-1/x?q=1 ed-1")
            }
            try await client.execute(uri: "/content/daily/covers/a", method: .get) { response in
                #expect(String(buffer: response.body) == "/content/daily/covers/a -")
            }
        }
    }

    @Test("denies other requests with 403, without challenge, caching or a call of the route")
    func rejects() async throws {
        let fixture = try GateFixture()
        let events = Mutex<[GateEvent]>([])
        let evaluator = GateEvaluator(fixture.gate, observer: { event in events.withLock { $0.append(event) } })
        let header = try fixture.daily.basic("ed-1")
        try await Self.application(evaluator).test(.router) { client in
            for (uri, method) in [
                ("/content/daily/ed-2/x", .get), ("/content/daily/ed-1/../ed-2/x", .get), ("/content/none", .get),
                ("/content/daily/ed-1/x", .post), ("/nothing", .get),
            ] as [(String, HTTPRequest.Method)] {
                try await client.execute(uri: uri, method: method, headers: [.authorization: header]) { response in
                    #expect(response.status == .forbidden && response.body.readableBytes == 0)
                    #expect(response.headers[.cacheControl] == DenialHeaders.all[.cacheControl])
                    #expect(response.headers[.wwwAuthenticate] == nil)
                }
            }
        }
        #expect(events.withLock { $0 }.count == 5)
        #expect(events.withLock { $0 }.allSatisfy { $0.entryPoint == .middleware })
    }

    @Test("prevents a route from sending a whole file for expired credentials")
    func resumption() async throws {
        let fixture = try GateFixture()
        let header = try fixture.daily.basic("ed-1")
        fixture.clock.advance(by: 700)
        try await Self.application(GateEvaluator(fixture.gate)).test(.router) { client in
            // The route ignores ranges and would send everything.
            try await client.execute(
                uri: "/content/daily/ed-1/x", method: .get, headers: [.authorization: header, .range: "bytes=5-"]
            ) { response in
                #expect(response.status == .forbidden && response.body.readableBytes == 0)
            }
        }
    }

    @Test("Pitfall 12: no user agent, test header or debug parameter opens anything")
    func backDoors() async throws {
        let fixture = try GateFixture()
        let tree = try ContentTree()
        try tree.write("ed-1/a", "protected")
        let served = try GateFixture(root: tree.root)
        try await withContentServer(served) { client in
            for header in [
                "User-Agent: PugpigNetwork/Packager", "User-Agent: Mozilla/5.0 PugpigAuthTestForm",
                "User-Agent: kube-probe/1.30", "User-Agent: ELB-HealthChecker/2.0", "User-Agent: GoogleHC/1.0",
                "X-Pugpig-Akamai: ed-1|99999999999|127.0.0.1", "X-Pugpig-Fake-Auth: ed-1|99999999999|127.0.0.1",
                "X-Pugpig-Status: published", "X-Pugpig-Entitlement: ed-1", "X-Forwarded-For: 127.0.0.1",
                "X-Client-IP: 127.0.0.1", "X-Real-IP: 127.0.0.1", "X-Original-URI: /content/daily/covers/a.jpg",
                "X-Forwarded-Uri: /content/daily/covers/a.jpg", "X-Rewrite-URL: /content/daily/covers/a.jpg",
                "X-Gatefold-Subscriber: 00000000000000", "X-HTTP-Method-Override: HEAD",
                "Proxy-Authorization: Basic Og==",
                "Cookie: name=FakeAuth&value=ed-1|99999999999|127.0.0.1", "Host: localhost",
                "Referer: http://localhost/",
            ] {
                for query in ["", "?X-Pugpig-Akamai=ed-1|99999999999|127.0.0.1", "?debug=1&preview=true&draft=1"] {
                    let response = try await client.get("/content/daily/ed-1/a" + query, [header])
                    #expect([400, 403].contains(response.status) && response.body.isEmpty, "\(header)")
                }
            }
        }
        #expect(fixture.denial("/content/daily/ed-1/a") == .missingCredentials)
    }

    @Test("The content responder as middleware leaves other routes alone")
    func contentMiddleware() async throws {
        let tree = try ContentTree()
        try tree.write("ed-free/a", "free")
        let fixture = try GateFixture(root: tree.root)
        let router = Router()
        router.add(
            middleware: ContentResponder(GateEvaluator(fixture.gate), files: FileServer(clock: fixture.clock.wall)))
        router.get("hello") { _, _ in "hello" }
        let application = Application(router: router, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await application.test(.router) { client in
            try await client.execute(uri: "/hello", method: .get) { #expect(String(buffer: $0.body) == "hello") }
            try await client.execute(uri: "/content/daily/ed-free/a", method: .get) {
                #expect(String(buffer: $0.body) == "free")
            }
            try await client.execute(uri: "/content/daily/ed-1/a", method: .get) { #expect($0.status == .forbidden) }
            try await client.execute(uri: "/content//daily/ed-free/a", method: .get) { #expect($0.status == .notFound) }
        }
    }
}
