import TestSupport
import Testing

extension FrontTests {
    @Test(
        "Denies an edition with an immediate 403, without a challenge and without caching",
        arguments: Front.allCases)
    func denials(_ front: Front) async throws {
        try await withSite(front) { site in
            let others = try GateHarness.authorization(for: "ed-2")
            let readers: [(String, [(String, String)])] = [
                ("nobody", []), ("another edition's", [others]), ("wrong", [GateHarness.basic("0123:4567")]),
                ("empty", [GateHarness.basic(":")]), ("bare", [("Authorization", "Basic")]),
                ("bearer", [("Authorization", "Bearer abc")]), ("garbage", [("Authorization", "\u{FF}\"\\,;=")]),
            ]
            let manners: [(String, String)?] = [
                nil, ("Range", "bytes=5-"), ("Range", "bytes=-0"), ("Range", "bytes=9223372036854775808-"),
                ("If-None-Match", "*"), ("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT"),
                ("Accept-Encoding", "gzip"),
            ]
            for (name, fields) in readers {
                for path in ["ed-1.zip", "ed-1/index.html", "ed-1/missing"] {
                    for mode in manners {
                        expectDenial(
                            try await site.get(path, fields + (mode.map { [$0] } ?? [])),
                            "\(name) \(path) \(mode ?? ("", ""))")
                    }
                }
            }
        }
    }

    @Test("Rejects paths outside an edition's files and methods other than GET and HEAD", arguments: Front.allCases)
    func oddRequests(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            for target in [
                "/", "/content", "/content/", "/content/weekly/ed-1.zip", "/gatefold-checked\(Site.target("ed-1.zip"))",
            ] {
                expectDenial(try await site.http.send("GET", target, [reader]), target, status: 403...404)
            }
            for path in ["ed-1", "ed-1/", "ed-1/images", "ed-1/images/", "ed-1/missing", "ed-1/index.html/"] {
                expectDenial(try await site.get(path, [reader]), path, status: 403...404)
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "PURGE", "PROPFIND"] {
                let fields = [reader, ("Content-Length", "0"), ("X-HTTP-Method-Override", "GET")]
                let response = try await site.http.send(method, Site.target("ed-1.zip"), fields)
                expectDenial(response, method, status: 403...405)
            }
        }
    }
}
