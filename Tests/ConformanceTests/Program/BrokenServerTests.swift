import Foundation
import TestSupport
import Testing

/// Servers that are wrong in several ways at a time, as they are found outside.
struct BrokenServer: Sendable, CustomTestStringConvertible {
    /// Under which the documentation shows its report.
    let heading: String
    /// Of breakages.
    let titles: [String]
    /// The rules that must be among what is told.
    let rules: [String]

    var testDescription: String { heading }

    static let all = [
        BrokenServer(
            heading: "A server whose answers are kept",
            titles: [
                "no-cache without no-store, as the historic server has it", "a session",
                "something in front keeps answers", "anything behind a call is the call",
            ],
            rules: ["cache-no-store", "cache-cookies", "cache-hit", "cache-deception"]),
        BrokenServer(
            heading: "A server that takes an outage for a refusal",
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

    func standIn() throws -> StandIn {
        let breakages = titles.compactMap { title in Breakage.all.first { $0.title == title } }
        try #require(breakages.count == titles.count)
        return StandIn { request, answer in
            for breakage in breakages { breakage.change(request, &answer) }
        }
    }
}

@Suite("gatefold check of a server that is wrong in several ways", .serialized)
struct BrokenServerTests {
    @Test("tells all of them, as the documentation shows", arguments: BrokenServer.all)
    func report(server: BrokenServer) async throws {
        try await withTemporaryFolder { folder in
            try Data(StandIn.secret.utf8).write(to: folder.appending(path: "secret"))
            let (run, port) = try await server.standIn().serve { port in
                let run = try await GatefoldProgram.run(
                    [
                        "check", "http://127.0.0.1:\(port)/test", "--users", "test", "--secret-file", "secret",
                        "--content", "http://127.0.0.1:\(port)/content/\(StandIn.first).zip", "--rate", "1000",
                    ], in: folder)
                return (run, port)
            }
            #expect(run.status == 1, "\(run.output) \(run.errors)")
            for rule in server.rules {
                let isTold = run.output.contains("FAILED  \(rule) ") || run.output.contains("warned  \(rule) ")
                #expect(isTold, "\(rule)")
            }
            try ShownReports.expect(run.output, from: port, under: server.heading, isShortened: true)
        }
    }
}
