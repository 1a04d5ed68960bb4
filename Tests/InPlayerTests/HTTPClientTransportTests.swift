import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InPlayer
import NIOCore
import TestSupport
import Testing

@Suite("Transport by AsyncHTTPClient")
struct HTTPClientTransportTests {
    @Test("sends method, query, headers and body, also for DELETE, and returns a response of any status")
    func carries() async throws {
        let seen = Locked<[String]>([])
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            let body = String(buffer: try await request.body.collect(upTo: 1 << 20))
            let line = [
                request.method.rawValue, request.head.path ?? "", request.headers[.authorization] ?? "-",
                request.headers[.contentType] ?? "-", body,
            ].joined(separator: " ")
            seen.withLock { $0.append(line) }
            return Response(
                status: .init(code: 402),
                body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"code":402,"message":"Pay first"}"#)))
        }
        try await Application(responder: responder, server: .channelRetaining).test(.live) { server in
            let port = try #require(server.port)
            let client = InPlayerClient(
                merchant: InPlayerMerchant(uuid: "m"),
                environment: try #require(InPlayerEnvironment(services: "http://127.0.0.1:\(port)")),
                storage: InMemorySessionStorage(
                    StoredSession(accessToken: "t", refreshToken: nil, expires: nil, account: nil)))
            let error = await #expect(throws: InPlayerError.self) {
                try await client.accounts.erase(password: "a b&c")
            }
            #expect(error?.fault?.message == "Pay first")
            #expect(error?.fault?.isWithoutAccess == true)
            #expect(try await client.assets.accessIfAny(to: 3, entry: "é") == nil)
        }
        #expect(
            seen.withLock(\.self) == [
                "DELETE /accounts/erase Bearer t application/x-www-form-urlencoded password=a%20b%26c",
                "GET /items/3/access?entry_id=%C3%A9 Bearer t - ",
            ])
    }

    @Test("follows no redirects, because a password must not reach another host")
    func redirects() async throws {
        let seen = Locked<[String]>([])
        let responder = CallbackResponder<BasicRequestContext> { request, _ in
            seen.withLock { $0.append(request.uri.path) }
            return Response(status: .temporaryRedirect, headers: [.location: "/elsewhere"])
        }
        try await Application(responder: responder, server: .channelRetaining).test(.live) { server in
            let port = try #require(server.port)
            let client = InPlayerClient(
                merchant: InPlayerMerchant(uuid: "m"),
                environment: try #require(InPlayerEnvironment(services: "http://127.0.0.1:\(port)")))
            let error = await #expect(throws: InPlayerError.self) {
                try await client.accounts.signIn("ada", password: "engine")
            }
            #expect(error?.fault?.status == 307)
        }
        #expect(seen.withLock(\.self) == ["/accounts/authenticate"])
    }

    @Test("times out on a response that never ends")
    func endless() async throws {
        let latch = ManualLatch()
        let responder = CallbackResponder<BasicRequestContext> { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    try await writer.write(ByteBuffer(string: "{"))
                    await latch.pass()
                    try await writer.finish(nil)
                })
        }
        try await Application(responder: responder, server: .channelRetaining).test(.live) { server in
            let port = try #require(server.port)
            let transport = HTTPClientTransport(timeout: 1)
            await #expect(throws: (any Error).self) {
                try await transport.send(TransportRequest(method: "GET", url: "http://127.0.0.1:\(port)/"))
            }
            latch.open()
        }
    }

    @Test("reports an unreachable server")
    func nobody() async throws {
        let port = try FreePort.find()
        let client = InPlayerClient(
            merchant: InPlayerMerchant(uuid: "m"),
            environment: try #require(InPlayerEnvironment(services: "http://127.0.0.1:\(port)")))
        let error = await #expect(throws: InPlayerError.self) { try await client.assets.item(1) }
        guard case .unreachable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
