import TestSupport
import Testing

extension FrontTests {
    @Test(
        "An edition's credentials open its files unchanged, and covers and free editions need none",
        arguments: Front.allCases)
    func downloads(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            for path in EditionStore.paths(of: "ed-1") {
                expectFile(try await site.get(path, [reader]), path)
            }
            for path in EditionStore.paths(of: GateHarness.freeEdition) + ["covers/ed-2.jpg"] {
                expectFile(try await site.get(path), path)
                expectFile(try await site.get(path, [GateHarness.basic("nobody:wrong")]), path)
            }
        }
    }

    @Test("Resumes a download, and restarts it if the file has changed", arguments: Front.allCases)
    func resumption(_ front: Front) async throws {
        try await withSite(front) { site in
            let reader = try GateHarness.authorization(for: "ed-1")
            let whole = try await site.get("ed-1.zip", [reader])
            expectFile(whole, "ed-1.zip")
            let tag = try #require(whole["ETag"])
            for condition in [[], [("If-Range", tag)]] {
                let rest = try await site.get("ed-1.zip", [reader, ("Range", "bytes=400001-")] + condition)
                #expect(rest.status == 206)
                #expect(rest["Content-Range"] == "bytes 400001-1048575/1048576")
                expectBytes(rest, Array(whole.body[400_001...]), "the rest")
                expectPrivate(rest, "the rest")
            }
            let changed = ("If-Range", "\"another\"")
            expectFile(try await site.get("ed-1.zip", [reader, ("Range", "bytes=400001-"), changed]), "ed-1.zip")
        }
    }

    @Test("HEAD is checked like GET and has no body", arguments: Front.allCases)
    func head(_ front: Front) async throws {
        try await withSite(front) { site in
            let target = Site.target("ed-1.zip")
            let head = try await site.http.send("HEAD", target, [try GateHarness.authorization(for: "ed-1")])
            #expect(head.status == 200)
            #expect(head["Content-Length"] == "1048576")
            expectPrivate(head, "HEAD")
            expectDenial(try await site.http.send("HEAD", target), "HEAD without credentials")
        }
    }
}
