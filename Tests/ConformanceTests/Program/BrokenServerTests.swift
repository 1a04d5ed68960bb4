import Foundation
import TestSupport
import Testing

/// A server with several defects at once, as found in practice.
struct BrokenServer: Sendable, CustomTestStringConvertible {
    /// The heading of its report in the documentation.
    let heading: String
    /// The titles of its defects.
    let titles: [String]
    /// The rules that the report must name.
    let rules: [String]

    var testDescription: String { heading }

    static let all = [
        BrokenServer(
            heading: "A server with cached responses",
            titles: [
                "no-cache without no-store, as in the historic server", "a session cookie",
                "a proxy in front caches responses", "a path below a call is handled as the call",
            ],
            rules: ["cache-no-store", "cache-cookies", "cache-hit", "cache-deception"]),
        BrokenServer(
            heading: "A server that treats an outage as a rejection",
            titles: [
                "an outage makes readers inactive", "an outage rejects a sign-in", "an outage rejects a renewal",
                "an outage makes a token unknown", "a lapsed reader is rejected",
                "an empty list becomes all editions",
            ],
            rules: ["failure-direction", "state-lapsed-sign-in", "issues-nothing"]),
        BrokenServer(
            heading: "A gate with holes",
            titles: [
                "a challenge", "credentials open every edition", "dot segments are removed after the check",
                "the packager needs no credentials, as in the historic gate",
            ],
            rules: ["gate-403", "gate-edition", "gate-paths", "gate-privileges"]),
    ]

    func fake() throws -> FakePublisherServer {
        let serverDefects = titles.compactMap { title in ServerDefect.all.first { $0.title == title } }
        try #require(serverDefects.count == titles.count)
        return FakePublisherServer { request, response in
            for serverDefect in serverDefects { serverDefect.change(request, &response) }
        }
    }
}

@Suite("gatefold check of a server with several defects", .serialized)
struct BrokenServerTests {
    @Test("reports all of them, as the documentation shows", arguments: BrokenServer.all)
    func report(server: BrokenServer) async throws {
        try await withTemporaryFolder { folder in
            try Data(FakePublisherServer.secret.utf8).write(to: folder.appending(path: "secret"))
            let (run, port) = try await server.fake().serve { port in
                let run = try await GatefoldProgram.run(
                    [
                        "check", "http://127.0.0.1:\(port)/test", "--users", "test", "--secret-file", "secret",
                        "--content", "http://127.0.0.1:\(port)/content/\(FakePublisherServer.first).zip", "--rate",
                        "1000",
                    ], in: folder)
                return (run, port)
            }
            #expect(run.status == 1, "\(run.output) \(run.errors)")
            for rule in server.rules {
                let isReported = run.output.contains("FAILED  \(rule) ") || run.output.contains("warned  \(rule) ")
                #expect(isReported, "\(rule)")
            }
            try DocumentedReports.expect(run.output, from: port, under: server.heading, isShortened: true)
        }
    }
}
