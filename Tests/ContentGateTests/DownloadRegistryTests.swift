import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import ContentGate

@Suite("Limit of open files")
struct DownloadRegistryTests {
    @Test("defers further downloads until one has ended")
    func bounded() async throws {
        let tree = try ContentTree()
        // A small file is read and closed on opening.
        try tree.write("ed-free/a.html", String(repeating: "a", count: Int(FileBody.chunk) + 1))
        let fixture = try GateFixture(root: tree.root)
        let content = try #require(fixture.allowed("/content/daily/ed-free/a.html"))
        let files = FileServer(clock: fixture.clock.wall, maxOpenFiles: 2)
        func get() async -> Response {
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: "a", path: "/content/daily/ed-free/a.html")
            return await files.respond(
                with: content, to: Request(head: head, body: RequestBody(buffer: ByteBuffer())))
        }
        // A response holds its file open until it is sent.
        var open = [await get(), await get()]
        #expect(open.map(\.status) == [.ok, .ok])
        for _ in 0..<3 {
            let further = await get()
            #expect(further.status == .serviceUnavailable && further.headers[.retryAfter] == "10")
        }
        open.removeLast()
        // A thread pool closes the files, so this can take a moment.
        var next = await get()
        while next.status != .ok {
            try await Task.sleep(for: .milliseconds(2))
            next = await get()
        }
        withExtendedLifetime((tree, open)) {}
    }
}
