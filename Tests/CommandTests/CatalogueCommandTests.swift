import Foundation
import TestSupport
import Testing

@Suite("gatefold catalogue, and the served feed") struct CatalogueCommandTests {
    private let environment = ["GATEFOLD_PSEUDONYM_SECRET": "vS3nq0sYb2uT7kDx", "GATEFOLD_DAILY": "Kq7wN2vR8tYx4mZp"]

    private static let shelf = """
        [{"name": "b", "title": "B", "date": "2020-02-01 00:00:00", "product_id": "store.b", "url": "b.hpub"},
         {"name": "a", "title": "A", "date": "2020-01-01 00:00:00", "url": "a.hpub"}]
        """

    private func inSample(
        _ body: (URL, Int, ([String]) async throws -> CommandRun) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let text = """
                server: {listen: "127.0.0.1:\(port)"}
                state: {path: state/state.sqlite, pseudonym_secret: {env: GATEFOLD_PSEUDONYM_SECRET}}
                backends:
                  house: {kind: sqlite, path: house.sqlite}
                publications:
                  daily:
                    default: true
                    backend: house
                    secrets: {env: GATEFOLD_DAILY}
                    catalogue: {kind: baker, path: shelf.json, startup_timeout: 60s}
                    feed: {title: The Daily, content: "https://cdn.example.com/daily/"}
                """
            try Data(text.utf8).write(to: folder.appending(path: "gatefold.yaml"))
            try Data(Self.shelf.utf8).write(to: folder.appending(path: "shelf.json"))
            try await body(folder, port) {
                try await GatefoldProgram.run(["catalogue"] + $0, environment: environment, in: folder)
            }
        }
    }

    @Test("`check` reports the outcome of a fetch by item position and changes nothing")
    func check() async throws {
        try await inSample { folder, _, catalogue in
            let good = try await catalogue(["check"])
            #expect(good.status == 0, "\(good.errors)")
            #expect(good.lines.first == "daily: would be accepted")
            #expect(good.lines.contains("editions    2"))
            let file = folder.appending(path: "shelf.json")
            try Data(#"[{"name": "a", "date": "yesterday"}]"#.utf8).write(to: file)
            let bad = try await catalogue(["check", "--json"])
            #expect(bad.status == 65)
            #expect(bad.errorLines.first == "daily: item 1: its date cannot be read")
            #expect(bad.output.contains("\"accepted\":false"))
            try FileManager.default.removeItem(at: file)
            #expect(try await catalogue(["check"]).status == 69)
            #expect(try await catalogue(["show"]).status == 69)
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "state/catalogues").path))
        }
    }

    @Test("A server that starts during an outage of the source serves the last good catalogue")
    func outage() async throws {
        try await inSample { folder, port, catalogue in
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["serve"], environment: environment, in: folder, until: .port(port))
            let first = try await withServer(launch) { _ in try await RawHTTP(port: port).send("GET", "/daily/feed") }
            #expect(first.text.contains("<id>b</id>") && first.text.contains("<id>a</id>"), "\(first.text)")
            try FileManager.default.removeItem(at: folder.appending(path: "shelf.json"))
            let second = try await withServer(launch) { _ in try await RawHTTP(port: port).send("GET", "/feed.xml") }
            #expect(second.text.contains("https://cdn.example.com/daily/b.pugpigpkg"), "\(second.text)")
            #expect(second["Cache-Control"] == "public, max-age=60")
            let status = try await catalogue(["status"])
            #expect(status.output.contains("in force    2 editions"), "\(status.output)")
            let shown = try await catalogue(["show"])
            #expect(shown.lines == ["2020-02-01  b  B", "2020-01-01  a  A  (free)"], "\(shown.output)")
        }
    }
}
