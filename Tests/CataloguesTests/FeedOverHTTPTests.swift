import Foundation
import Gatefold
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Catalogues

@Suite("Catalogue over HTTP", .serialized)
struct FeedOverHTTPTests {
    private func source(_ url: String, _ kind: String = "atom", _ more: String = "") throws -> any CatalogueSource {
        let text = "kind: \(kind)\nurl: \"\(url)\"\n\(more)"
        return try CataloguePlan(
            try YAMLSettings.read(text: text, name: "test.yaml", folder: "/", environment: [:])
        ).kind.open()
    }

    static func feed(_ ids: [String], next: String? = nil) -> String {
        let entries = ids.map { id in
            """
            <entry><id>\(id)</id><title>\(id)</title><updated>2026-10-01T00:00:00Z</updated>
            <link rel="http://opds-spec.org/acquisition/buy" href="\(id).pugpigpkg"/></entry>
            """
        }
        let link = next.map { "<link rel=\"next\" href=\"\($0)\"/>" } ?? ""
        return "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(link)\(entries.joined())</feed>"
    }

    @Test("nginx: fetches once, receives no body while unchanged, and fetches again after a change")
    func nginx() async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let path = folder.path
            let configuration = """
                daemon off; master_process off; pid \(path)/nginx.pid; error_log stderr;
                events {}
                http {
                  access_log \(path)/access.log; client_body_temp_path \(path)/tmp; proxy_temp_path \(path)/tmp;
                  fastcgi_temp_path \(path)/tmp; uwsgi_temp_path \(path)/tmp; scgi_temp_path \(path)/tmp;
                  server { listen 127.0.0.1:\(port); root \(path)/public; }
                }
                """
            let file = folder.appending(path: "public/feed.xml")
            try FileManager.default.createDirectory(
                at: folder.appending(path: "public"), withIntermediateDirectories: true)
            try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
            try Data(Self.feed(["a", "b"]).utf8).write(to: file)
            let launch = ServerProcess.Launch(
                "/usr/sbin/nginx", ["-p", path, "-c", "\(path)/nginx.conf"], in: folder, until: .port(port))
            try await withServer(launch) { _ in
                let source = try source("http://127.0.0.1:\(port)/feed.xml")
                guard case .read(let first) = try await source.fetch(after: KnownCatalogue()) else {
                    Issue.record("the feed was not read")
                    return
                }
                #expect(first.editions.map(\.id.rawValue) == ["a", "b"] && first.validators?.tag != nil)
                let known = KnownCatalogue(validators: first.validators)
                #expect(try await source.fetch(after: known) == .unchanged)
                try Data(Self.feed(["a", "b", "c"]).utf8).write(to: file)
                guard case .read(let second) = try await source.fetch(after: known) else {
                    Issue.record("the change was not detected")
                    return
                }
                #expect(second.editions.count == 3)
                let missing = try self.source("http://127.0.0.1:\(port)/missing.xml")
                await #expect(throws: CatalogueFailure.status(404)) { try await missing.fetch(after: KnownCatalogue()) }
            }
        }
    }

    private func response(_ body: String) -> String {
        "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
    }

    private func fetch(_ bodies: [String], _ more: String = "") async throws -> CatalogueReading {
        let responses = Mutex(bodies.map(response))
        return try await withScriptedHTTPServer(
            responding: { responses.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" } }
        ) { port in
            guard
                case .read(let reading) = try await source("http://127.0.0.1:\(port)/feed", "atom", more)
                    .fetch(after: KnownCatalogue())
            else { throw CatalogueFailure.status(304) }
            return reading
        }
    }

    @Test("Reads all pages, and then stores no entity tag")
    func pages() async throws {
        let reading = try await fetch([
            Self.feed(["a"], next: "feed?page=2"), Self.feed(["b"], next: "feed?page=3"), Self.feed(["c"]),
        ])
        #expect(reading.editions.map(\.id.rawValue) == ["a", "b", "c"])
        #expect(reading.validators == nil)
    }

    @Test("Rejects cyclic pages, too many pages and pages on another host")
    func endless() async throws {
        await #expect(throws: CatalogueFailure.tooManyPages(limit: 50)) {
            try await fetch([Self.feed(["a"], next: "feed?page=1"), Self.feed(["b"], next: "feed?page=1")])
        }
        await #expect(throws: CatalogueFailure.tooManyPages(limit: 2)) {
            try await fetch(
                [Self.feed(["a"], next: "?p=1"), Self.feed(["b"], next: "?p=2"), Self.feed(["c"], next: "?p=3")],
                "max_pages: 2\n")
        }
        await #expect(throws: CatalogueFailure.foreignPage) {
            try await fetch([Self.feed(["a"], next: "http://127.0.0.2/feed")])
        }
    }

    @Test("Rejects a document that is not a feed, such as an HTML page with status 200")
    func notAFeed() async throws {
        for body in ["<html><body>Maintenance</body></html>", "not XML", "<!DOCTYPE feed><feed/>"] {
            await #expect(throws: CatalogueFailure.self) { try await fetch([body]) }
        }
    }
}
