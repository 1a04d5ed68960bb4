import Gatefold
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import ContentGate

@Suite("Files that are open at a time")
struct OpenDownloadsTests {
    @Test("are bounded: further downloads are to come back later, until one has ended")
    func bounded() async throws {
        let tree = try ContentTree()
        // A small file is read when it is opened, and not held.
        try tree.write("ed-free/a.html", String(repeating: "a", count: Int(FileBody.chunk) + 1))
        let fixture = try GateFixture(root: tree.root)
        let content = try #require(fixture.allowed("/content/daily/ed-free/a.html"))
        let files = FileServer(clock: fixture.clock.wall, mostOpen: 2)
        func get() async -> Response {
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: "a", path: "/content/daily/ed-free/a.html")
            return await files.respond(
                with: content, to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        }
        // An answer holds its file until it is sent.
        var open = [await get(), await get()]
        #expect(open.map(\.status) == [.ok, .ok])
        for _ in 0..<3 {
            let further = await get()
            #expect(further.status == .serviceUnavailable && further.headers[.retryAfter] == "10")
        }
        open.removeLast()
        // Files are closed on threads that may wait.
        var next = await get()
        while next.status != .ok {
            try await Task.sleep(for: .milliseconds(2))
            next = await get()
        }
        withExtendedLifetime((tree, open)) {}
    }
}
