import Gatefold
import TestSupport
import Testing

extension FrontTests {
    @Test(
        "Whoever may not read an edition gets an immediate 403, never a challenge, and nothing to keep",
        arguments: Front.allCases)
    func refusals(_ front: Front) async throws {
        try await withSite(front) { site in
            let others = try GateUnderTest.authorization(for: "ed-2")
            let readers: [(String, [(String, String)])] = [
                ("nobody", []), ("another edition's", [others]), ("wrong", [GateUnderTest.basic("0123:4567")]),
                ("empty", [GateUnderTest.basic(":")]), ("bare", [("Authorization", "Basic")]),
                ("bearer", [("Authorization", "Bearer abc")]), ("garbage", [("Authorization", "\u{FF}\"\\,;=")]),
            ]
            let manners: [(String, String)?] = [
                nil, ("Range", "bytes=5-"), ("Range", "bytes=-0"), ("Range", "bytes=9223372036854775808-"),
                ("If-None-Match", "*"), ("If-Modified-Since", "Fri, 01 Jan 2038 00:00:00 GMT"),
                ("Accept-Encoding", "gzip"),
            ]
            for (name, fields) in readers {
                for path in ["ed-1.zip", "ed-1/index.html", "ed-1/missing"] {
                    for manner in manners {
                        expectRefusal(
                            try await site.get(path, fields + (manner.map { [$0] } ?? [])),
                            "\(name) \(path) \(manner ?? ("", ""))")
                    }
                }
            }
        }
    }

    @Test("What is no file of an edition is not there, and only GET and HEAD exist", arguments: Front.allCases)
    func oddRequests(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateUnderTest.authorization(for: "ed-1")
            for target in [
                "/", "/content", "/content/", "/content/weekly/ed-1.zip", "/gatefold-checked\(Site.target("ed-1.zip"))",
            ] {
                expectRefusal(try await site.http.send("GET", target, [reader]), target, status: 403...404)
            }
            for path in ["ed-1", "ed-1/", "ed-1/images", "ed-1/images/", "ed-1/missing", "ed-1/index.html/"] {
                expectRefusal(try await site.get(path, [reader]), path, status: 403...404)
            }
            for method in ["POST", "PUT", "DELETE", "OPTIONS", "PURGE", "PROPFIND"] {
                let fields = [reader, ("Content-Length", "0"), ("X-HTTP-Method-Override", "GET")]
                let response = try await site.http.send(method, Site.target("ed-1.zip"), fields)
                expectRefusal(response, method, status: 403...405)
            }
        }
    }
}
