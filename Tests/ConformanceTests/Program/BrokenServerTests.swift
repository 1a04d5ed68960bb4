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
                "no-cache without no-store, as the historic server has it", "a session",
                "something in front keeps answers", "anything behind a call is the call",
            ],
            rules: ["cache-no-store", "cache-cookies", "cache-hit", "cache-deception"]),
        BrokenServer(
            heading: "A server that treats an outage as a refusal",
            titles: [
                "a failure is an inactive reader", "a failure is a refused sign-in", "a failure is a refused renewal",
                "a failure is a token that nobody recognises", "a lapsed reader is sent away",
                "nothing becomes everything",
            ],
            rules: ["failure-direction", "state-lapsed-sign-in", "issues-nothing"]),
        BrokenServer(
            heading: "A gate with holes",
            titles: [
                "a challenge", "one for all", "dot segments are taken out behind the check",
                "the packager gets in, as at the historic gate",
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
