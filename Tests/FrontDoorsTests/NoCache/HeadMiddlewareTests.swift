import FrontDoors
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("Responses to HEAD")
struct HeadMiddlewareTests {
    @Test("have no body, but the Content-Length of GET")
    func head() async throws {
        let router = Router()
        router.add(middleware: HeadMiddleware())
        for method in [HTTPRequest.Method.get, .head] {
            router.on("/a", method: method) { _, _ in
                Response(status: .notFound, body: ResponseBody(byteBuffer: ByteBuffer(string: "not found")))
            }
        }
        try await Application(router: router).test(.router) { client in
            let head = try await client.execute(uri: "/a", method: .head)
            #expect(head.status == .notFound && head.body.readableBytes == 0)
            #expect(head.headers[.contentLength] == "9")
            #expect(try await client.execute(uri: "/a", method: .get).body.readableBytes == 9)
        }
    }
}
