import HTTPTypes
import Hummingbird
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import ContentGate

@Suite("Files on the event loop")
struct LocalRootsTests {
    /// Returns the statuses of the first request for a small file, of the next one without a thread pool, and of a
    /// request for a part of it without a thread pool.
    private static func statuses(isLocal: Bool) async throws -> [HTTPResponse.Status] {
        let tree = try ContentTree()
        try tree.write("ed-free/a.html", "a small file")
        let fixture = try GateFixture(root: tree.root)
        let content = try #require(fixture.allowed("/content/daily/ed-free/a.html"))
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        let files = FileServer(
            clock: fixture.clock.wall, maxAge: 60, pool: pool, maxOpenFiles: 10,
            localRoots: LocalRoots { _ in isLocal })
        func status(_ headers: HTTPFields = [:]) async -> HTTPResponse.Status {
            let head = HTTPRequest(
                method: .get, scheme: "http", authority: "a", path: "/content/daily/ed-free/a.html",
                headerFields: headers)
            return await files.respond(
                with: content, to: Request(head: head, body: RequestBody(buffer: ByteBuffer()))
            ).status
        }
        var statuses = [await status()]
        try await pool.shutdownGracefully()
        statuses += [await status(), await status([.range: "bytes=0-1"])]
        withExtendedLifetime(tree) {}
        return statuses
    }

    @Test("A small file in memory needs no thread pool if its file system is local")
    func local() async throws {
        #expect(try await Self.statuses(isLocal: true) == [.ok, .ok, .serviceUnavailable])
    }

    @Test("A file of another file system is always opened on the thread pool")
    func remote() async throws {
        #expect(try await Self.statuses(isLocal: false) == [.ok, .serviceUnavailable, .serviceUnavailable])
    }

    @Test("A root is examined once")
    func once() {
        let examined = Mutex<[String]>([])
        let roots = LocalRoots { root in
            examined.withLock { $0.append(root) }
            return root == "/a"
        }
        #expect(!roots.contains("/a"))
        for root in ["/a", "/b", "/a", "/b"] { roots.examine(root) }
        #expect(roots.contains("/a") && !roots.contains("/b"))
        #expect(examined.withLock { $0 } == ["/a", "/b"])
    }
}
