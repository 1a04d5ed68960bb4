import ContentGate
import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@Suite("Checked edition and opened file")
struct PathDifferentialTests {
    /// Each file contains the name of its edition. Some links lead out of an edition.
    private static func tree() throws -> ContentTree {
        let tree = try ContentTree()
        for edition in ["ed-1", "ed-2", "ED-1", "x"] {
            for name in ["a", "sub/a", "caf\u{E9}", "b c"] {
                try tree.write("\(edition)/\(name)", "\(edition) \(name)")
            }
            try tree.write("\(edition).zip", "\(edition) zip")
        }
        try tree.link("ed-1/link", to: "../ed-2/a")
        try tree.link("ed-1/dir", to: "../ed-2")
        try tree.link("ed-1/root", to: tree.root)
        try tree.link("ed-3", to: "ed-2")
        try tree.link("ed-1.hpub", to: "ed-2.zip")
        return tree
    }

    @Test("Pitfall 2: credentials for ed-1 reach no byte of ed-2 by any spelling")
    func spellings() async throws {
        let tree = try Self.tree()
        let fixture = try GateFixture(root: tree.root)
        let header = "Authorization: " + (try fixture.daily.basic("ed-1"))
        try await withContentServer(fixture) { client in
            #expect(try await client.get("/content/daily/ed-1/a", [header]).text.hasPrefix("ed-1 "))
            #expect(try await client.get("http://h/content/daily/ed-1/a", [header]).text.hasPrefix("ed-1 "))
            #expect(try await client.get("/content/daily/ed-1/caf%C3%A9", [header]).text.hasPrefix("ed-1 "))
            for path in [
                "ed-1/../ed-2/a", "ed-1/%2e%2e/ed-2/a", "ed-1/..%2fed-2/a", "ed-1/%252e%252e/ed-2/a", "ed-1//../ed-2/a",
                "/ed-2/a", "ed-1;x/../ed-2/a", "ed-2;x=ed-1/a", "ed-1\\..\\ed-2\\a", "ed-1/..%5ced-2/a",
                "ed-2%00ed-1/a",
                "ed-1%00/../ed-2/a", "ed-1/%c0%ae%c0%ae/ed-2/a", "ed-2./a", "ed-2%20/a", "ed-1%20/../ed-2/a", "ED-2/a",
                "ED-1/a", "%ed-1/a", "ed-1/.%2e/ed-2/a", "ed-1/%u002e%u002e/ed-2/a", "ed-2/a?ed-1", "ed-1/cafe%CC%81",
                "ed-1/link", "ed-1/dir/a", "ed-1/dir/sub/a", "ed-1/root/ed-2/a", "ed-1.hpub", "ed-2.zip", "ed-1.zip/",
                "ed-1/..;/ed-2/a", "ed-1/....//ed-2/a", "./ed-2/a", "ed-2/a#ed-1", "ed-2", "ed-3/a", "covers/../ed-2/a",
                "covers/%2e%2e/ed-2/a", "ed-2/./cover.jpg", "ed-2%2fcover.jpg",
            ] {
                for prefix in ["/content/daily/", "http://h/content/daily/", "//content/daily/", "/./content/daily/"] {
                    let bytes = try await client.exchange(
                        Array("GET \(prefix)\(path) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\(header)\r\n\r\n".utf8)
                    )
                    let response = try RawResponse(bytes)
                    #expect([400, 403, 404].contains(response.status), "\(prefix)\(path)")
                    #expect(!response.text.contains("ed-"), "\(prefix)\(path)")
                }
            }
        }
    }

    @Test("Pitfall 2: in a differential fuzz the checked edition is that of the opened file, by its content")
    func fuzz() async throws {
        let tree = try Self.tree()
        let fixture = try GateFixture(root: tree.root)
        let seen = Mutex<EditionID?>(nil)
        var credentials: [String: String] = [:]
        for edition in ["ed-1", "ed-2", "ED-1", "x", "ed-3"] {
            credentials[edition] = "Authorization: " + (try fixture.daily.basic(edition, .plain))
        }
        let headers = credentials
        try await withContentServer(fixture) { event in
            if case .allowed(let content) = event.decision { seen.withLock { $0 = content.edition } }
        } _: { client in
            var random = SeededRandom(seed: 22)
            let editions = [
                "ed-1", "ed-2", "ED-1", "x", "ed-3", "%65d-1", "%45D-1", "ed-1.zip", "ed-2.zip", "ed-1.hpub",
            ]
            let names = ["a", "sub", "sub/a", "caf%C3%A9", "b%20c", "link", "dir", "root", "%61"]
            let tricks = [
                "..", ".", "%2e%2e", "..%2f", "%252e", ";x", "\\", "%00", "%c0%ae", "%20", "", "?", "#", "//",
            ]
            func pick(_ list: [String]) -> String { list[Int.random(in: 0..<list.count, using: &random)] }
            var served = 0
            for round in 0..<1_500 {
                seen.withLock { $0 = nil }
                var pieces = [pick(editions), pick(names), pick(editions), pick(names)]
                pieces = Array(pieces.prefix(Int.random(in: 1...4, using: &random)))
                if round.isMultiple(of: 3) {
                    pieces.insert(pick(tricks), at: Int.random(in: 0...pieces.count, using: &random))
                }
                let path = pieces.joined(separator: "/") + (round.isMultiple(of: 7) ? pick(tricks) : "")
                // Mostly uses matching credentials, so that mostly the path decides.
                let edition = String(pieces[0].prefix(4)).replacing("%65d", with: "ed-1").replacing(
                    "%45D", with: "ED-1")
                let fitting = headers[edition]
                let header = Int.random(in: 0..<4, using: &random) > 0 ? fitting ?? "" : headers["ed-1"] ?? ""
                let response = try await client.get("/content/daily/" + path, header.isEmpty ? [] : [header])
                guard response.status == 200 else {
                    #expect(response.body.isEmpty)
                    continue
                }
                served += 1
                // The file's text names its edition.
                let named = response.text.prefix { $0 != " " }
                #expect(String(named) == seen.withLock { $0?.rawValue }, "\(path)")
            }
            #expect(served > 50)
        }
    }
}
