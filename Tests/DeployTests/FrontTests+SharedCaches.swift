import TestSupport
import Testing

extension FrontTests {
    @Test("Pitfall 16: what one reader was given no other gets, by the same address", arguments: Front.allCases)
    func sharedCaches(_ front: Front) async throws {
        try await withSite(front) { site in
            let (reader, other) = (
                try GateUnderTest.authorization(for: "ed-1"), try GateUnderTest.authorization(for: "ed-2")
            )
            for path in ["ed-1.zip", "ed-1/index.html"] {
                expectRefusal(try await site.get(path), "nobody first")
                for _ in 0..<2 {
                    expectFile(try await site.get(path, [reader]), path)
                    expectRefusal(try await site.get(path, [other]), "reader of another edition")
                    expectRefusal(try await site.get(path), "nobody")
                    expectRefusal(try await site.get(path, [("Range", "bytes=0-99")]), "nobody, a part")
                    expectRefusal(try await site.http.send("HEAD", Site.target(path)), "nobody, HEAD")
                }
            }
        }
    }
}
