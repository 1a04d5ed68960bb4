import Foundation
import TestSupport
import Testing

@Suite("Command line")
struct CommandLineTests {
    @Test(
        "Every subcommand has a help text that names its options",
        arguments: [
            ("", ["serve", "config", "subscribers", "credentials", "token", "secret", "GATEFOLD_CONFIG"]),
            ("serve", ["--config", "--host", "--port", "SIGHUP"]),
            ("config", ["check", "example"]), ("config check", ["--config", "--json"]), ("config example", ["--help"]),
            ("subscribers", ["import", "show", "list", "set-state", "delete", "export"]),
            (
                "subscribers import",
                [
                    "--config", "--backend", "--json", "--resumable", "--replace", "--identifier-column", "--separator",
                    "--password-format", "<file>",
                ]
            ),
            ("subscribers show", ["--config", "--backend", "--json", "<identifier>"]),
            ("subscribers list", ["--config", "--backend", "--json", "--state", "--after", "--limit"]),
            ("subscribers set-state", ["--config", "--backend", "--message", "<identifier>", "<state>"]),
            ("subscribers delete", ["--config", "--backend", "<identifier>"]),
            ("subscribers export", ["--config", "--backend", "--identifier-column", "<file>"]),
            ("credentials", ["issue", "verify"]),
            ("credentials issue", ["--config", "--publication", "--json", "<edition>"]),
            ("credentials verify", ["--config", "--publication", "--json", "<edition>", "<userid>", "<password>"]),
            ("token", ["inspect", "revoke"]),
            ("token inspect", ["--config", "--publication", "--json", "--reveal-key", "<token>"]),
            ("token revoke", ["--config", "--publication", "--json", "--token", "--subscriber", "--device"]),
            (
                "check",
                [
                    "--cases", "--users", "--secret-file", "--content", "--via-cache", "--rate", "--timing", "--ca",
                    "--insecure",
                    "--json", "--junit", "--html", "--strict", "<url>",
                ]
            ),
            ("secret", ["new"]), ("secret new", ["--bytes", "--out"]),
        ])
    func help(command: String, mentioned: [String]) async throws {
        let run = try await GatefoldProgram.run(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == 0)
        #expect(run.errors == "")
        for word in mentioned { #expect(run.output.contains(word), "\(command): \(word)") }
    }

    @Test(
        "A wrong call exits with status 64 and an explanation",
        arguments: [
            ["nonsense"], ["serve", "--nonsense"], ["serve", "--port", "many"], ["subscribers", "show"],
            ["secret", "new", "--bytes", "8"],
            ["subscribers", "set-state", "a@example.com", "asleep"], ["token", "revoke"],
            ["token", "revoke", "--token", "a", "--subscriber", "b"],
            ["token", "revoke", "--token", "a", "--device", "b"],
            ["subscribers", "import", "a.csv", "--separator", "dots"],
        ])
    func wrongCalls(arguments: [String]) async throws {
        let run = try await GatefoldProgram.run(arguments)
        #expect(run.status == 64)
        #expect(run.output == "")
        #expect(!run.errors.isEmpty)
    }

    @Test("Prints the version")
    func version() async throws {
        #expect(try await GatefoldProgram.run(["--version"]).output.contains(/^[0-9]+\.[0-9]+\.[0-9]+\n$/))
    }

    @Test("Prints a new secret or writes it to a new file that only its owner can read")
    func secrets() async throws {
        try await withTemporaryFolder { folder in
            let printed = try await GatefoldProgram.run(["secret", "new"], in: folder)
            #expect(printed.output.contains(/^[A-Za-z0-9_-]{43}\n$/))
            #expect(try await GatefoldProgram.run(["secret", "new"], in: folder).output != printed.output)
            #expect(try await GatefoldProgram.run(["secret", "new", "--bytes", "64"], in: folder).output.count == 87)

            let made = try await GatefoldProgram.run(["secret", "new", "--out", "secret"], in: folder)
            #expect(made.status == 0 && made.output == "")
            let file = folder.appendingPathComponent("secret")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let written = try String(contentsOf: file, encoding: .utf8)
            #expect(written.contains(/^[A-Za-z0-9_-]{43}\n$/))

            let again = try await GatefoldProgram.run(["secret", "new", "--out", "secret"], in: folder)
            #expect(again.status == 73)
            #expect(again.errors == "gatefold: secret was not written: it already exists\n")
            #expect(try String(contentsOf: file, encoding: .utf8) == written)
            let nowhere = try await GatefoldProgram.run(["secret", "new", "--out", "no/secret"], in: folder)
            #expect(nowhere.status == 73)
        }
    }

    @Test("The example configuration is valid once its secrets exist")
    func example() async throws {
        try await withTemporaryFolder { folder in
            let example = try await GatefoldProgram.run(["config", "example"], in: folder)
            #expect(example.status == 0)
            try Data(example.output.utf8).write(to: folder.appendingPathComponent("gatefold.yaml"))
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent("secrets"), withIntermediateDirectories: true)
            #expect(try await GatefoldProgram.run(["config", "check"], in: folder).status == 78)
            for name in ["pseudonyms", "daily", "test"] {
                _ = try await GatefoldProgram.run(["secret", "new", "--out", "secrets/\(name)"], in: folder)
            }
            let check = try await GatefoldProgram.run(["config", "check"], in: folder)
            #expect(check.status == 0, "\(check.errors)")
            #expect(check.lines.first == "gatefold.yaml is valid.")
            #expect(check.output.contains("daily, test"))
        }
    }

    @Test("Finds the configuration by option, environment or current folder, and applies overrides")
    func configuration() async throws {
        struct Report: Decodable {
            let path, listen: String
            let publications, backends: [String]
        }
        try await withSample { sample in
            let json = try await sample.succeed(["config", "check", "--json"])
            let report = try JSONDecoder().decode(Report.self, from: Data(json.utf8))
            #expect(report.path == "gatefold.yaml")
            #expect(report.listen == "127.0.0.1:\(sample.port)")
            #expect(report.publications == ["daily", "weekly", "test"])
            #expect(report.backends == ["house", "other", "made-up"])

            let elsewhere = FileManager.default.temporaryDirectory
            let path = sample.path("gatefold.yaml")
            let optioned = try await GatefoldProgram.run(["config", "check", "--config", path], in: elsewhere)
            #expect(optioned.status == 0)
            let environment = try await GatefoldProgram.run(
                ["config", "check"], environment: ["GATEFOLD_CONFIG": path], in: elsewhere)
            #expect(environment.status == 0)
            let overridden = try await sample.gatefold(
                ["config", "check", "--json"], environment: ["GATEFOLD__SERVER__LISTEN": "0.0.0.0:81"])
            #expect(overridden.output.contains("\"listen\":\"0.0.0.0:81\""))
            let wrong = try await sample.gatefold(
                ["config", "check"], environment: ["GATEFOLD__PUBLICATIONS__DAILY__POLICY": "perod"])
            #expect(wrong.status == 78)
            #expect(wrong.errors.contains("environment variable GATEFOLD__PUBLICATIONS__DAILY__POLICY"))
        }
    }
}
