import ContentGate
import Foundation
import Gatefold
import TestSupport
import Testing

extension FrontTests {
    @Test("A ticket in the query opens its edition alone, and two are none", arguments: Front.allCases)
    func tickets(_ front: Front) async throws {
        try await withSite(front) { site async throws in
            func ask(_ path: String, _ query: String, _ fields: [(String, String)] = []) async throws -> RawResponse {
                try await site.http.send("GET", Site.target(path) + "?" + query, fields)
            }
            let ticket = "ticket=" + (try GateUnderTest.ticket(for: "ed-1")).text
            for path in EditionShelf.paths(of: "ed-1") {
                expectFile(try await ask(path, "environment=production&\(ticket)&devicetype=tablet"), path)
            }
            let rest = try await ask("ed-1.zip", ticket, [("Range", "bytes=400001-")])
            #expect(rest.status == 206)
            expectRefusal(try await ask("ed-2.zip", ticket), "another edition")
            expectRefusal(try await ask("ed-1.zip", "ticket=x.y"), "no ticket of ours")
            expectRefusal(try await ask("ed-1.zip", "\(ticket)&\(ticket)"), "two tickets")
            let reader = try GateUnderTest.authorization(for: "ed-1")
            expectRefusal(try await ask("ed-1.zip", ticket, [reader]), "a ticket and a header")
        }
    }
}
