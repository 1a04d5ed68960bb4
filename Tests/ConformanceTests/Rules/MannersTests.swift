import Testing

@testable import Conformance

/// Verifies the promises of the guide to the checked server.
@Suite("Requests of a check")
struct MannersTests {
    @Test("are limited to those that the guide announces")
    func requests() async throws {
        let record = RequestRecord()
        let report = try await check(FakePublisherServer { request, _ in record.add(request) })
        #expect(report.broken.isEmpty, "\(report.broken)")
        let requests = record.requests
        #expect(Set(requests.map(\.method)) == ["GET", "HEAD", "POST", "PATCH"])
        for request in requests where request.method == "PATCH" {
            #expect(request.body.isEmpty && request.fields.isEmpty, "\(request.target)")
        }
        // A token that a server issued is never signed out.
        let signedOut = requests.filter { $0.call == "sign_out" }.flatMap(\.fields)
        #expect(signedOut.map(\.name) == ["token"] && signedOut.allSatisfy { $0.value.hasPrefix("forged") })
        let signIns = requests.filter { $0.isSignIn && $0.method != "PATCH" }
        let names = Set(CheckCases.testUsers.map(\.name))
        let known = signIns.filter { request in request["username"].map(names.contains) ?? false }
        let wrong = known.filter { $0["password"]?.hasPrefix("wrong") == true }
        #expect(
            wrong.map { $0["username"] } == ["peter"], "only this reader, and only once, is tried with a wrong password"
        )
        #expect(known.count - wrong.count == names.count + 3, "one sign-in per reader, and three more for one of them")
        #expect(signIns.count - known.count == 8, "without a reader")
    }
}
