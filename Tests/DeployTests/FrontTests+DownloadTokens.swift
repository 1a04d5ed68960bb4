import ContentGate
import Foundation
import TestSupport
import Testing

extension FrontTests {
    @Test("A download token in the query opens only its edition, and two are rejected", arguments: Front.allCases)
    func downloadTokens(_ front: Front) async throws {
        try await withSite(front) { site async throws in
            func send(_ path: String, _ query: String, _ fields: [(String, String)] = []) async throws -> RawResponse {
                try await site.http.send("GET", Site.target(path) + "?" + query, fields)
            }
            let downloadToken = "ticket=" + (try GateHarness.downloadToken(for: "ed-1")).text
            for path in EditionStore.paths(of: "ed-1") {
                expectFile(try await send(path, "environment=production&\(downloadToken)&devicetype=tablet"), path)
            }
            let rest = try await send("ed-1.zip", downloadToken, [("Range", "bytes=400001-")])
            #expect(rest.status == 206)
            expectDenial(try await send("ed-2.zip", downloadToken), "another edition")
            expectDenial(try await send("ed-1.zip", "ticket=x.y"), "an invalid ticket")
            expectDenial(try await send("ed-1.zip", "\(downloadToken)&\(downloadToken)"), "two download tokens")
            let reader = try GateHarness.authorization(for: "ed-1")
            expectDenial(try await send("ed-1.zip", downloadToken, [reader]), "a download token and a header")
        }
    }
}
