import Foundation
import TestSupport
import Testing

@Suite("gatefold feed") struct FeedCommandTests {
    private static let fixtures = URL(filePath: #filePath).appending(path: "../../../Fixtures").standardizedFileURL
    private let environment = ["GATEFOLD_PSEUDONYM_SECRET": "vS3nq0sYb2uT7kDx", "GATEFOLD_DAILY": "Kq7wN2vR8tYx4mZp"]

    private func inSample(_ body: (URL, ([String]) async throws -> CommandRun) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let text = try String(
                contentsOf: Self.fixtures.appending(path: "Configurations/feed-csv.yaml"), encoding: .utf8)
            try Data(text.replacing("/srv/feeds", with: folder.path).utf8)
                .write(to: folder.appending(path: "gatefold.yaml"))
            try FileManager.default.copyItem(
                at: Self.fixtures.appending(path: "Feeds/readers.csv"), to: folder.appending(path: "readers.csv"))
            try await body(folder) {
                try await GatefoldProgram.run(["feed"] + $0, environment: environment, in: folder)
            }
        }
    }

    @Test("`check` reports the outcome by line numbers without personal data and changes nothing")
    func check() async throws {
        try await inSample { folder, feed in
            let good = try await feed(["check"])
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.lines.first == "circulation: would be accepted")
            #expect(good.lines.contains("rows       4"))

            let file = folder.appending(path: "readers.csv")
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data((text + "10005,zoe@example.com,Zebra\n").utf8).write(to: file)
            let bad = try await feed(["check", "--json", "circulation"])
            #expect(bad.status == 65)
            #expect(bad.errorLines.first == "circulation: line 6: expected 7 fields, found 3")
            #expect(bad.output.contains("\"accepted\":false"))
            #expect(!(bad.output + bad.errors).contains("zoe"))

            try FileManager.default.removeItem(at: file)
            #expect(try await feed(["check"]).status == 69)
            #expect(try await feed(["check", "other"]).status == 64)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "state/feeds").path))
        }
    }

    @Test("`status` prints the current feed and the last fetch")
    func status() async throws {
        try await inSample { folder, feed in
            let none = try await feed(["status"])
            #expect(none.status == 0)
            #expect(none.lines.contains("in force   none: readers cannot sign in"))
            let port = try FreePort.find()
            let file = folder.appending(path: "gatefold.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("127.0.0.1:8080", with: "127.0.0.1:\(port)").utf8).write(to: file)
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve"], environment: environment, in: folder, until: .port(port))
            try await withServer(launch) { _ in
                let deadline = ContinuousClock.now + .seconds(120)
                var reported = try await feed(["status"])
                while !reported.output.contains("replaced"), ContinuousClock.now < deadline {
                    reported = try await feed(["status"])
                }
                #expect(reported.output.contains("in force   4 rows of 4 readers"), "\(reported.output)")
                let response = try await RawHTTP(port: port).post(
                    "/sign_in", [("Content-Type", "application/x-www-form-urlencoded")],
                    Array("email=ada%40example.com&surname=Lovelace".utf8))
                #expect(response.element("token") != nil, "\(response.text)")
            }
            let after = try await feed(["status", "--json"])
            #expect(after.output.contains("\"outcome\":\"replaced\""), "retained after the end of the server")
        }
    }
}
