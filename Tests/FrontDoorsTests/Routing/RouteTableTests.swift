import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Router")
struct RouteTableTests {
    /// Returns a table in which each route responds with its pattern.
    private func table(_ patterns: String..., passing: Set<String> = []) -> RouteTable {
        var routes = Routes()
        for pattern in patterns {
            routes.on(RoutePattern(pattern)) { _, _ in passing.contains(pattern) ? nil : Self.response(pattern) }
        }
        return RouteTable(routes)
    }

    private static func response(_ text: String) -> Response {
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// Returns the text of the response, or `nil` for 404.
    private func route(
        of path: String, in table: RouteTable, method: HTTPRequest.Method = .get
    ) async throws -> String? {
        try await Application(responder: RuledResponder(table: table)).test(.router) { client in
            let response = try await client.execute(uri: path, method: method)
            return response.status == .notFound ? nil : String(buffer: response.body)
        }
    }

    @Test(
        "Finds the pattern of a path",
        arguments: [
            ("/a", "/a"), ("/a/", "/a"), ("//a", "/a"), ("/b", nil), ("/", nil), ("/A", nil), ("/a%62", nil),
            ("/ab", nil), ("/x/a", "/{x}/a"), ("/x/b", nil), ("/a/a", "/{x}/a"), ("/x/a/c", nil), ("/t", nil),
            ("/t/", nil), ("/t/1", "/t/**"), ("/t/1/2/3", "/t/**"), ("/t//1", "/t/**"), ("/a/b/c", "/a/b/c"),
            ("/a/b", nil), ("/a/x/c", "/a/{y}/c"), ("/a/b/d", "/{x}/b/d"),
        ])
    func patterns(_ path: String, _ pattern: String?) async throws {
        let table = table("/a", "/{x}/a", "/t/**", "/a/b/c", "/a/{y}/c", "/{x}/b/d")
        #expect(try await route(of: path, in: table) == pattern)
    }

    @Test("The first route that takes the request responds, in the order in which the routes were added")
    func precedence() async throws {
        #expect(try await route(of: "/a/b", in: table("/{x}/b", "/a/b", "/a/**")) == "/{x}/b")
        #expect(try await route(of: "/a/b", in: table("/a/**", "/a/b", "/{x}/b")) == "/a/**")
        let passing = table("/a/**", "/{x}/{y}", "/a/b", "/{x}/b", passing: ["/a/**", "/{x}/{y}", "/a/b"])
        #expect(try await route(of: "/a/b", in: passing) == "/{x}/b")
        #expect(try await route(of: "/a/c", in: passing) == nil)
    }

    @Test("A route handles the methods that it was added for")
    func methods() async throws {
        var routes = Routes()
        routes.on("/a", methods: .only([.get])) { _, _ in Self.response("only") }
        routes.on("/a") { _, _ in Self.response("standard") }
        routes.on("/a", methods: .all) { _, _ in Self.response("all") }
        let table = RouteTable(routes)
        for (method, expected) in [
            (HTTPRequest.Method.get, "only"), (.post, "standard"), (.init("PROPFIND")!, "all"),
        ] {
            #expect(try await route(of: "/a", in: table, method: method) == expected)
        }
        #expect(try await route(of: "/a", in: self.table("/a"), method: .init("PROPFIND")!) == nil)
    }

    @Test("Percent-escapes hide a literal segment, except from routes that match them")
    func escapes() async throws {
        var routes = Routes()
        routes.on("/plain/x") { _, _ in Self.response("plain") }
        routes.on("/escaped/x", matchesEscapes: true) { _, _ in Self.response("escaped") }
        let table = RouteTable(routes)
        #expect(try await route(of: "/pl%61in/x", in: table) == nil)
        #expect(try await route(of: "/esc%61ped/x", in: table) == "escaped")
        // An escaped slash does not separate segments.
        #expect(try await route(of: "/escaped%2Fx", in: table) == nil)
    }

    @Test("The label of a route is its pattern, or what the handler sets")
    func labels() async throws {
        #expect(RoutePattern("notifications/{store}/").description == "/notifications/{store}")
        #expect(RoutePattern("/auth-request/path/**").description == "/auth-request/path/**")
        let secret: RoutePattern = "/mail/:token"
        #expect(secret.segments == [.literal("mail"), .any] && secret.description == "/mail/:token")
    }

    @Test("The routes of a Baker template match every path of the template")
    func bakerTemplates() throws {
        let paths = [
            "/issues", "/issues/", "/issues//u", "/issues/a/u", "/app/issues", "/app/u/issues", "/app//issues",
            "/app/issues/", "/app/u/issues/x", "/app//issues/x", "/shop/all", "/shop/a/all/b", "/shop//all",
        ]
        for text in [
            "/issues/:app_id/:user_id", "/:app_id/issues", "/:app_id/:user_id/issues/:name", "/shop/:user_id/all/:x",
        ] {
            let template = try #require(PathTemplate(text))
            let settings = try BakerSettings(
                paths: [.shelf: template].merging([.issue: try #require(PathTemplate("/get/:name"))]) { $1 })
            var tree = RouteTree()
            for (number, pattern) in BakerRoutes([settings]).patterns.enumerated() {
                tree.insert(RoutePattern(pattern), route: number)
            }
            for path in paths where template.match(path).map({ !template.beginsWithApp || $0.app != nil }) == true {
                #expect(tree.routes(of: path).first != nil, "\(text) \(path)")
            }
        }
    }
}
