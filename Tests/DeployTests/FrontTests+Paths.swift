import TestSupport
import Testing

extension FrontTests {
    /// Paths requested with the credentials of ed-1 that name a file of ed-2 in another interpretation.
    static let tricks: [String] = [
        "/content/daily/ed-1/../ed-2/index.html", "/content/daily/ed-1/%2e%2e/ed-2/index.html",
        "/content/daily/ed-1/%2E./ed-2/index.html", "/content/daily/ed-1/..%2fed-2/index.html",
        "/content/daily/ed-1/..%5ced-2/index.html", "/content/daily/ed-1/%252e%252e/ed-2/index.html",
        "/content/daily/ed-1/..%252fed-2/index.html", "/content/daily/ed-1/..;/ed-2/index.html",
        "/content/daily/ed-1/..;x=1/ed-2/index.html", "/content/daily/ed-1;x/../ed-2/index.html",
        "/content/daily/ed-1/..\\ed-2\\index.html", "/content/daily/ed-1\\..\\ed-2/index.html",
        "/content/daily//ed-2/index.html", "//content/daily/ed-2/index.html", "/content//daily/ed-2/index.html",
        "/content/daily/./ed-2/index.html", "/content/daily/ed-1/.//../ed-2/index.html",
        "/content/daily/ed-1%00/../ed-2/index.html", "/content/daily/ed-2/index.html%00",
        "/content/daily/ed-2%00.zip", "/content/daily/ed-1/%c0%ae%c0%ae/ed-2/index.html",
        "/content/daily/ed-1/%e0%80%ae%e0%80%ae%c0%afed-2/index.html", "/content/daily/ed-1/..%c0%afed-2/index.html",
        "/content/daily/ed-1/..%ef%bc%8fed-2/index.html", "/content/daily/ed-1/%u002e%u002e/ed-2/index.html",
        "/content/daily/ed-2./index.html", "/content/daily/ed-2%20/index.html", "/content/daily/ed-2.zip.",
        "/content/daily/ed-2.zip%20", "/content/daily/ed-2.zip/", "/content/daily/ed-2.ZIP",
        "/content/daily/ED-2/index.html", "/CONTENT/daily/ed-2/index.html", "/content/daily/ed%2d2/index.html",
        "/content/daily/%65d-2/index.html", "/content/daily/ed-1%2f..%2fed-2/index.html",
        "/content/daily/ed-2/index.html?/content/daily/ed-1/index.html",
        "/content/daily/ed-2/index.html#/../../ed-1/index.html", "/content/daily/ed-2/index.html%3F/ed-1/",
        "/content/daily/ed-1/index.html/../../ed-2/index.html", "/content/daily/covers/../ed-2/index.html",
        "/content/daily/covers/%2e%2e/ed-2/index.html", "/content/daily/free-1/../ed-2/index.html",
        "/content/daily/ed-2/index.html%0d%0aX-Original-URI:%20/content/daily/ed-1/index.html",
        "/content/daily/ed-2/index.html,/content/daily/ed-1/index.html", "content/daily/ed-2/index.html",
        "http://127.0.0.1/content/daily/ed-2/index.html", "http://ed-1/content/daily/ed-1/../ed-2/index.html",
        "HTTP://user@127.0.0.1/content/daily/ed-2/index.html", "file:///content/daily/ed-2/index.html", "*",
        "/content/daily/covers/../../../content/daily/ed-2/index.html",
        "/content/daily/ed-1/{path}/../../ed-2/index.html",
    ]

    @Test("Pitfall 2: an ambiguous path never opens another edition", arguments: Front.allCases)
    func pathTricks(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            let raw: [[UInt8]] = [
                [0xC0, 0xAE, 0xC0, 0xAE], [0xE0, 0x80, 0xAE, 0x2E], [0xFF], [0x2E, 0x2E, 0x00], [0x2E, 0x2E, 0x09],
                [0x2E, 0x2E, 0x20],
            ].map { Array("/content/daily/ed-1/".utf8) + $0 + Array("/ed-2/index.html".utf8) }
            for target in Self.tricks.map({ Array($0.utf8) }) + raw {
                let about = String(decoding: target, as: UTF8.self)
                // A closed connection is an acceptable response to an invalid request.
                guard let response = try? await site.http.send("GET", target, [reader]) else { continue }
                #expect((400..<500).contains(response.status), "\(about): \(response.status)")
                #expect(!holdsContent(response), "\(about)")
                #expect(response.status != 401 && response["WWW-Authenticate"] == nil, "\(about)")
            }
            expectFile(try await site.get("ed-1/index.html", [reader]), "ed-1/index.html")
        }
    }

    @Test("Pitfall 2: a query that looks like a path has no effect", arguments: Front.allCases)
    func queries(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            for query in ["?/content/daily/ed-2/index.html", "?x=/../../ed-2/index.html", "??", "?%00", "?%2e%2e/ed-2"]
            {
                let target = Site.target("ed-1/index.html") + query
                expectFile(try await site.http.send("GET", target, [reader]), "ed-1/index.html")
            }
        }
    }

    @Test(
        "Pitfall 2: random paths return files of the checked edition or nothing",
        arguments: Front.allCases)
    func randomPaths(_ front: Front) async throws {
        let pieces = [
            "/", "/", "/", "ed-1", "ed-2", "ed-1/index.html", "ed-2/index.html", "index.html", "..", ".", "%2e", "%2f",
            "%5c", "%25",
            "2e", "\\", ";", "%3b", "%00", "?", "#", ".zip", "%20", "//", "/../", "covers", "free-1", "/content/daily/",
        ]
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            var random = SeededRandom(seed: 2)
            for _ in 0..<250 {
                let tail = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    pieces[Int.random(in: pieces.indices, using: &random)]
                }
                let target = "/content/daily/" + tail.joined()
                guard let response = try? await site.http.send("GET", target, [reader]) else { continue }
                let isOwn = isFile(response, of: "ed-1") || isFile(response, of: GateHarness.freeEdition)
                #expect(!holdsContent(response) || isOwn, "\(target)")
            }
        }
    }
}
