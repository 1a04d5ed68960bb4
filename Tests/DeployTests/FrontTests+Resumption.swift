import TestSupport
import Testing

extension FrontTests {
    @Test(
        "Pitfall 17: expired credentials resume a download within the window and start none",
        arguments: Front.allCases)
    func endedCredentials(_ front: Front) async throws {
        try await withSite(front) { site in
            let (path, target) = ("ed-1.zip", Site.target("ed-1.zip"))
            let tag = try #require(try await site.get(path, [try GateHarness.authorization(for: "ed-1")])["ETag"])
            let file = EditionStore.bytes(of: path)
            let ended = try GateHarness.endedAuthorization(for: "ed-1")
            for (form, part) in RangeForm.continuing(of: file.count, tag: tag) {
                let response = try await site.http.send(form.method, target, [ended] + form.fields)
                #expect(response.status == 206, "\(form): \(response.status)")
                #expect(
                    response["Content-Range"] == "bytes \(part.lowerBound)-\(part.upperBound)/\(file.count)", "\(form)")
                expectBytes(response, Array(file[part]), "\(form)")
            }
            for form in RangeForm.beginning(of: file.count, tag: tag) {
                let response = try await site.http.send(form.method, target, [ended] + form.fields)
                // 412 comes from the front's If-Range condition, and 400 from a front that does not support the header.
                #expect([400, 403, 412].contains(response.status), "\(form): \(response.status)")
                #expect(!holdsContent(response), "\(form): \(response.body.count) bytes")
            }
        }
    }

    @Test("Pitfall 17: expired credentials resume a download of a path with escapes", arguments: Front.allCases)
    func endedCredentialsAndEscapes(_ front: Front) async throws {
        try await withSite(front) { site in
            let ended = try GateHarness.endedAuthorization(for: "ed-1")
            for path in EditionStore.paths(of: "ed-1") {
                let response = try await site.get(path, [ended, ("Range", "bytes=10-")])
                #expect(response.status == 206, "\(path): \(response.status)")
                expectBytes(response, Array(EditionStore.bytes(of: path)[10...]), path)
                expectDenial(try await site.get(path, [ended]), path)
            }
            let missing = try await site.get("ed-1/none.html", [ended, ("Range", "bytes=10-")])
            #expect(missing.status == 404)
            expectDenial(try await site.get("ed-2.zip", [ended, ("Range", "bytes=10-")]), "another edition")
        }
    }
}
