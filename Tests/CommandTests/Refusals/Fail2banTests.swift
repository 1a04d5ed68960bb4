import Foundation
import TestSupport
import Testing

/// Runs fail2ban's own tool with the filter in deploy/fail2ban on the lines of a running server.
@Suite("Filter for fail2ban")
struct Fail2banTests {
    @Test(
        "matches wrong credentials with the client, and no other refusal",
        arguments: ["json", "text"])
    func filter(format: String) async throws {
        try await withSample(configuration: {
            Sample.refusing($0).replacing("format: json", with: "format: \(format)")
        }) { sample in
            let output = try await withServer(sample.launch) { server in
                try await Self.sendRequests(to: sample)
                return server.output
            }
            #expect(try await Self.bannedClients(in: output, sample) == ["203.0.113.1"] + Self.guesser(10))
            // The journal puts the host and the program in front of each line.
            let journal = output.split(separator: "\n").map { "host gatefold[12]: \($0)\n" }.joined()
            #expect(try await Self.bannedClients(in: journal, sample) == ["203.0.113.1"] + Self.guesser(10))
        }
    }

    private static func guesser(_ times: Int) -> [String] { Array(repeating: "2001:db8::2", count: times) }

    private static func sendRequests(to sample: Sample) async throws {
        func signIn(_ email: String, _ password: String, from client: String, in publication: String? = nil)
            async throws
            -> RawResponse
        {
            try await sample.call(
                "sign_in", ["email": email, "password": password], in: publication, headers: Sample.from(client))
        }
        #expect(try await signIn(Sample.ada.email, "wrong", from: "203.0.113.1").error == "notrecognised")
        for number in 1...10 { _ = try await signIn("guessed@example.com", "\(number)", from: "2001:db8::2") }
        #expect(try await signIn("guessed@example.com", "11", from: "2001:db8::2").error == "throttled")
        // A throttled reader may have the right password, and neither a lapsed subscription nor an outage is the client's
        // fault.
        let lapsed = try await signIn("grace@example.com", "nanosecond", from: "203.0.113.3")
        let token = try #require(lapsed.element("token"))
        let denied = try await sample.call(
            "edition_credentials", ["token": token, "product_id": Sample.third], headers: Sample.from("203.0.113.3"))
        #expect(denied.error == "notentitled")
        #expect(try await signIn("a", "b", from: "203.0.113.4", in: "outage").status == 503)
        let hostile = "x reason=throttled call=sign_in client=203.0.113.5 reason=wrong_credentials"
        _ = try await sample.http.send(
            "GET", "/Refused%20call=sign_in%20client=203.0.113.5%20reason=throttled", [("User-Agent", hostile)])
    }

    /// Returns the clients of the lines that the filter matches, in their order.
    private static func bannedClients(in log: String, _ sample: Sample) async throws -> [String] {
        try sample.write("server.log", log)
        let filter = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/fail2ban/filter.d/gatefold.conf").standardizedFileURL
        let run = try await CommandRun.of(
            "/usr/bin/fail2ban-regex", ["-o", "ip", sample.path("server.log"), filter.path], in: sample.folder)
        #expect(run.status == 0, "\(run.errors)")
        return run.lines
    }
}
