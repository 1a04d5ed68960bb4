import TestSupport
import Testing

extension FrontTests {
    @Test("Pitfall 16: a URL served to one reader is denied to another", arguments: Front.allCases)
    func sharedCaches(_ front: Front) async throws {
        try await withSite(front) { site in
            let (reader, other) = (
                try GateHarness.authorization(for: "ed-1"), try GateHarness.authorization(for: "ed-2")
            )
            for path in ["ed-1.zip", "ed-1/index.html"] {
                expectDenial(try await site.get(path), "first without credentials")
                for _ in 0..<2 {
                    expectFile(try await site.get(path, [reader]), path)
                    expectDenial(try await site.get(path, [other]), "reader of another edition")
                    expectDenial(try await site.get(path), "nobody")
                    expectDenial(try await site.get(path, [("Range", "bytes=0-99")]), "a range without credentials")
                    expectDenial(try await site.http.send("HEAD", Site.target(path)), "HEAD without credentials")
                }
            }
        }
    }
}
