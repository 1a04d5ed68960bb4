import Foundation
import TestSupport
import Testing

/// Runs the commands of README's section “Your own publication” as written, each in a new shell, in a clean folder. Only
/// the two ports of the configuration are replaced.
@Suite("README: Your own publication")
struct OwnPublicationTests {
    @Test("Each command works in an empty folder, and the reader can sign in and download")
    func commands() async throws {
        let section = try MarkdownDocument("README.md").section("Your own publication")
        let configuration = try #require(section.blocks("yaml").first).joined(separator: "\n")
        let commands = try #require(section.blocks("bash").first)
        #expect(commands.last == "gatefold serve", "the server is the last command, because it does not end")
        try await withReadmeFolder { shell in
            try shell.write(configuration, to: "gatefold.yaml")
            var printed: [String: CommandRun] = [:]
            for command in commands.dropLast() {
                let run = try await shell.run(command)
                #expect(run.status == 0, "\(command): \(run.output)\(run.errors)")
                printed[command.split(separator: ">").first.map(String.init) ?? command] = run
            }
            try expectFiles(in: shell.folder)
            func output(_ command: String) throws -> String {
                try #require(printed[command], "README has no command \(command)").output
            }
            #expect(try output("gatefold config check").hasPrefix("gatefold.yaml is valid.\n"))
            #expect(
                try output("gatefold subscribers import readers.csv")
                    == "1 rows read: 1 subscribers added, 0 replaced, 0 removed, 0 bad rows\n")
            let reader = try output("gatefold subscribers show grace@example.com")
            #expect(reader.contains("currently active"))
            #expect(reader.contains("period      2026-01-01T00:00:00Z to 2030-12-31T23:59:59Z"))
            try await shell.serve("gatefold serve") { try await expectDownload(shell) }
        }
    }

    @Test("The printed example contains every section of README's configuration")
    func example() async throws {
        let section = try MarkdownDocument("README.md").section("Your own publication")
        let keys = try #require(section.blocks("yaml").first).filter { !$0.hasPrefix(" ") }
        #expect(keys == ["server:", "state:", "backends:", "publications:"])
        let run = try await GatefoldProgram.run(["config", "example"])
        let printed = run.output.split(separator: "\n").map { $0.drop { "# ".contains($0) } }
        for key in keys { #expect(printed.contains { $0.hasPrefix(key) }, "\(key)") }
    }

    /// Expects the folders and secrets to be readable for their owner only.
    private func expectFiles(in folder: URL) throws {
        for (path, permissions) in [
            ("secrets", 0o700), ("editions", 0o700), ("secrets/pseudonyms", 0o600), ("secrets/daily", 0o600),
        ] {
            let file = folder.appending(path: path).path
            let found = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(found == permissions, "\(path)")
        }
        let lines = try String(contentsOf: folder.appending(path: "readers.csv"), encoding: .utf8)
        #expect(
            lines == "identifier,password,periods\ngrace@example.com,nanosecond,2026-01-01/2030-12-31\n")
    }

    /// Expects the imported reader to sign in and to download a file of the configured edition.
    private func expectDownload(_ shell: ReadmeShell) async throws {
        let http = RawHTTP(port: shell.port)
        let signIn = try await http.send("GET", "/sign_in?email=grace@example.com&password=nanosecond")
        let token = try #require(signIn.element("token"), "\(signIn.text)")
        let verified = try await http.send("GET", "/verify_subscription?token=\(token)")
        #expect(verified.text.contains("<issue>com.example.daily.2026-11</issue>"), "\(verified.text)")
        let issued = try await http.send(
            "GET", "/edition_credentials?token=\(token)&product_id=com.example.daily.2026-11")
        let pair = try "\(#require(issued.element("userid"))):\(#require(issued.element("password")))"
        let authorization = ("Authorization", "Basic " + Data(pair.utf8).base64EncodedString())
        try shell.write("an edition", to: "editions/com.example.daily.2026-11.zip")
        let path = "/content/daily/com.example.daily.2026-11.zip"
        #expect(try await http.send("GET", path, [authorization]).text == "an edition")
        #expect(try await http.send("GET", path).status == 403)
        #expect(try await RawHTTP(port: shell.adminPort).send("GET", "/readyz").status == 200)
    }
}
