import Foundation
import TestSupport
import Testing

/// Our own server, as the program serves it.
@Suite("gatefold check of gatefold serve", .serialized)
struct OwnServerTests {
    private static let cases = """
        readers:
          ada:
            sign_in: {email: ada@example.com, password: analytical engine}
            state: active
            issues: [com.example.daily.2026-09, com.example.daily.2026-10, com.example.daily.2026-11]
            holds: [com.example.daily.2026-11, com.example.daily.2026-10]
            lacks: [com.example.daily.2031-01]
            feed_password: true
          grace:
            sign_in: {email: grace@example.com, password: nanosecond}
            state: inactive
            issues: [com.example.daily.2026-09, com.example.daily.2026-10]
            holds: [com.example.daily.2026-10]
            lacks: [com.example.daily.2026-11]
          edsger:
            sign_in: {email: edsger@example.com, password: shortest path}
            state: suspended
        wrong_proof: ada
        secret: {file: secrets/daily}
        content: http://127.0.0.1:PORT/content/daily/com.example.daily.2026-11.zip
        """

    private func withSample(_ body: @Sendable @escaping (URL, Int) async throws -> Void) async throws {
        let sample = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../deploy/sample")
            .standardizedFileURL
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            for name in ["secrets", "state", "editions/daily"] {
                try FileManager.default.createDirectory(
                    at: folder.appending(path: name), withIntermediateDirectories: true)
            }
            var text = try String(contentsOf: sample.appending(path: "gatefold.yaml"), encoding: .utf8)
            text.replace("127.0.0.1:8080", with: "127.0.0.1:\(port)")
            text.replace("127.0.0.1:8081", with: "127.0.0.1:\(try FreePort.find())")
            // The made-up store is another test's business.
            text.replace(/stores:\n  play:\n(?:    .*\n)+/, with: "")
            text.replace("    stores: [play]\n", with: "")
            try Data(text.utf8).write(to: folder.appending(path: "gatefold.yaml"))
            try Data(Self.cases.replacing("PORT", with: "\(port)").utf8).write(to: folder.appending(path: "cases.yaml"))
            try FileManager.default.copyItem(
                at: sample.appending(path: "feed.xml"), to: folder.appending(path: "editions/daily/feed.xml"))
            for month in ["09", "10", "11"] {
                let name = "com.example.daily.2026-\(month).zip"
                try Data(EditionShelf.bytes(of: name)).write(to: folder.appending(path: "editions/daily/\(name)"))
            }
            let csv = sample.appending(path: "subscribers.csv").path
            for call in [
                ["secret", "new", "--out", "secrets/references"], ["secret", "new", "--out", "secrets/daily"],
                ["secret", "new", "--out", "secrets/test"], ["subscribers", "import", csv],
            ] {
                let run = try await GatefoldProgram.run(call, in: folder)
                try #require(run.status == 0, "\(run.errors)")
            }
            let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(port))
            try await withServer(launch) { _ in try await body(folder, port) }
        }
    }

    @Test("finds nothing, with the test users and with the sample's readers, its secret and its gate")
    func clean() async throws {
        try await withSample { folder, port in
            let test = try await GatefoldProgram.run(
                [
                    "check", "http://127.0.0.1:\(port)/test", "--users", "test", "--secret-file", "secrets/test",
                    "--rate", "1000", "--strict",
                ], in: folder)
            #expect(test.status == 0, "\(test.output) \(test.errors)")
            let daily = try await GatefoldProgram.run(
                [
                    "check", "http://127.0.0.1:\(port)/daily", "--cases", "cases.yaml", "--rate", "1000", "--strict",
                ], in: folder)
            #expect(daily.status == 0, "\(daily.output) \(daily.errors)")
            for rule in ["gate-paths", "gate-edition", "gate-opens", "credentials-password", "credentials-feed-given"] {
                #expect(daily.output.contains("ok      \(rule)"), "\(rule)")
            }
            #expect(!daily.output.contains("analytical engine"))
        }
    }
}
