import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import NIOEmbedded
import Primitives
import Settings
import State
import TestSupport
import Testing

@testable import Server

@Suite("Main router")
struct MainRouterTests {
    private func withRouter(
        _ body: (MainRouter) async throws -> Void
    ) async throws {
        let text =
            "server: {trusted_proxies: [192.0.2.7/32]}\n" + ConfigurationTests.minimal
            + "\n    default: true\n    content: {root: editions, open: [covers/**]}"
        try await withParts(text) { parts, configuration in
            try await body(
                MainRouter(
                    publications: ReloadableSnapshot(try parts.assemble(configuration)), clock: .system,
                    readiness: { .ready }))
        }
    }

    /// Returns the status of an auth request for an open path from the given address.
    private func authRequest(
        _ router: MainRouter, from address: String
    ) async throws -> HTTPResponse.Status {
        let channel = NIOAsyncTestingChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: address, port: 4711)
        let context = GatefoldRequestContext(
            source: ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test")))
        let target = try #require(HTTPField.Name("X-Original-URI"))
        let request = Request(
            head: HTTPRequest(
                method: .get, scheme: "http", authority: "localhost", path: "/auth-request/original-uri",
                headerFields: [target: "/content/daily/covers/a.jpg"]),
            body: RequestBody(buffer: ByteBuffer()))
        return try await router.buildResponder().respond(to: request, context: context).status
    }

    @Test("A router that is no longer used does not keep the publications")
    func released() throws {
        weak var publications: ReloadableSnapshot?
        try {
            let snapshot = ReloadableSnapshot(
                ServingState(
                    directory: PublicationDirectory(), gate: try Gate([], clock: .system),
                    backends: LiveBackendRegistry(), clients: ClientAddressResolver(trusted: [])))
            publications = snapshot
            let router = MainRouter(publications: snapshot, clock: .system, readiness: { .ready })
            #expect(!router.routes.isEmpty)
        }()
        #expect(publications == nil)
    }

    @Test("Rejects a request target without a valid form, whichever path it resembles")
    func targetFormats() async throws {
        try await withRouter { router in
            let responder = router.buildResponder()
            for (method, target, status) in [
                (HTTPRequest.Method.get, "/healthz", HTTPResponse.Status.ok), (.get, "healthz", .badRequest),
                (.get, "content/daily/covers/a.jpg", .badRequest), (.get, "*", .badRequest), (.get, "", .badRequest),
                (.connect, "a:443", .badRequest), (.get, "ftp://a/healthz", .badRequest),
            ] {
                let context = GatefoldRequestContext(
                    source: ApplicationRequestContextSource(
                        channel: NIOAsyncTestingChannel(), logger: Logger(label: "test")))
                let request = Request(
                    head: HTTPRequest(method: method, scheme: "https", authority: "a", path: target),
                    body: RequestBody(buffer: ByteBuffer()))
                let responded = try await responder.respond(to: request, context: context).status
                #expect(responded == status, "\(method) \(target)")
            }
        }
        for target in ["http://a/healthz", "HTTPS://a/healthz", "/", "//"] {
            #expect(ResponseRules.hasTargetForm(target, method: .get), "\(target)")
        }
        #expect(ResponseRules.hasTargetForm("*", method: .options))
    }

    @Test("Pitfall 11: only this machine and trusted proxies may name the target of an auth request")
    func authRequestPeers() async throws {
        try await withRouter { router in
            for (address, status) in [
                ("127.0.0.1", HTTPResponse.Status.ok), ("::1", .ok), ("192.0.2.7", .ok), ("192.0.2.8", .forbidden),
                ("203.0.113.9", .forbidden), ("2001:db8::1", .forbidden), ("128.0.0.1", .forbidden),
            ] {
                let responded = try await authRequest(router, from: address)
                #expect(responded == status, "\(address)")
            }
        }
    }

    @Test(
        "A body beyond the memory for bodies is refused as overload, whichever format it has",
        arguments: ["application/json", "application/x-www-form-urlencoded"])
    func bodyLimit(_ type: String) async throws {
        try await withParts(ConfigurationTests.minimal) { parts, configuration in
            var limits = ListenerLimits()
            limits.bodyMemory = 1
            let router = MainRouter(
                publications: ReloadableSnapshot(try parts.assemble(configuration)), clock: .system,
                readiness: { .ready }, limits: limits)
            let context = GatefoldRequestContext(
                source: ApplicationRequestContextSource(
                    channel: NIOAsyncTestingChannel(), logger: Logger(label: "test")))
            let request = Request(
                head: HTTPRequest(
                    method: .post, scheme: "https", authority: "a", path: "/daily/sign_in",
                    headerFields: [.contentType: type]),
                body: RequestBody(buffer: ByteBuffer(repeating: UInt8(ascii: "a"), count: 100_000)))
            let response = try await router.buildResponder().respond(to: request, context: context)
            #expect(response.status == .serviceUnavailable)
            #expect(context.refusal?.reason == .overloaded && context.refusal?.detail == "body_memory")
        }
    }

    @Test("Pitfall 16: every registered route responds with the no-cache headers and without a validator")
    func routes() async throws {
        try await withRouter { router in
            let routes = router.routes.flatMap { route in
                route.standardMethods.map { (path: route.pattern.description, method: $0) }
            }
            #expect(routes.count >= 12 * 9 + 2 + 6)
            try await Application(responder: ListenerResponder(router: router)).test(.router) { client in
                for route in routes {
                    let path = route.path.replacing("{publication}", with: "daily").replacing("**", with: "x")
                    for path in [path, path + "?token=x&product_id=y", path.replacing("daily", with: "nobody")] {
                        let response = try await client.execute(
                            uri: path.hasPrefix("/") ? path : "/" + path, method: route.method)
                        let comment = Comment("\(route.method) \(path) \(response.status)")
                        // Front doors that this configuration does not enable do not exist.
                        let isClosed = ["feed", "itunes", "notifications"].contains { path.contains($0) }
                        #expect(response.status != .notFound || path.contains("nobody") || isClosed, comment)
                        #expect(response.headers[values: .cacheControl] == [NoCacheHeaders.cacheControl], comment)
                        #expect(response.headers[values: .expires] == ["0"], comment)
                        #expect(
                            try response.headers[values: #require(HTTPField.Name("Pragma"))] == ["no-cache"], comment)
                        #expect(response.headers[.eTag] == nil && response.headers[.lastModified] == nil, comment)
                    }
                }
            }
        }
    }
}
