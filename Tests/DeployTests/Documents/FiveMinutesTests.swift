import Foundation
import TestSupport
import Testing

/// Runs the commands of README's section “Five minutes” as written, against a server with the sample's configuration and
/// subscribers. Only the port is replaced.
@Suite("README: Five minutes")
struct FiveMinutesTests {
    @Test("Each command prints what README shows, apart from secrets and the time")
    func transcript() async throws {
        let section = try MarkdownDocument("README.md").section("Five minutes")
        try await withReadmeFolder { shell in
            try await prepareSample(shell)
            try await shell.serve("gatefold serve") {
                var variables: [String: String] = [:]
                let steps = section.blocks("").flatMap(Self.steps)
                #expect(steps.count == 6)
                for step in steps {
                    let run = try await shell.run(step.command, variables)
                    #expect(run.status == 0, "\(step.command): \(run.errors)")
                    let output = run.output.replacing("\r\n", with: "\n")
                    #expect(Self.comparable(output) == Self.comparable(step.output), "\(step.command)")
                    for (name, pattern) in [
                        ("TOKEN", /<token[^>]*>([^<]*)</), ("USERID", /<userid>([^<]*)</),
                        ("PASSWORD", /<password>([^<]*)</),
                    ] {
                        if let found = output.firstMatch(of: pattern) { variables[name] = String(found.output.1) }
                    }
                }
                #expect(variables.keys.sorted() == ["PASSWORD", "TOKEN", "USERID"])
                let downloaded = try Data(contentsOf: shell.folder.appending(path: "edition.zip"))
                #expect(downloaded == Data("an edition".utf8))
            }
        }
    }

    /// Returns the commands of a block with the output that README shows for each.
    private static func steps(_ block: [String]) -> [(command: String, output: String)] {
        var steps: [(command: String, output: String)] = []
        for line in block {
            if line.hasPrefix("$ ") {
                steps.append((String(line.dropFirst(2)), ""))
            } else if !steps.isEmpty {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        return steps
    }

    /// Returns the text with the length in place of each secret, without the headers of the time and of the
    /// request id, and without blank lines.
    private static func comparable(_ text: String) -> [String] {
        text.replacing(/[A-Za-z0-9_\-]{60,}/) { "(secret of \($0.output.count) characters)" }
            .replacing(/\b[0-9a-f]{40}\b/, with: "(SHA-1)")
            .split(separator: "\n").filter { !$0.hasPrefix("Date: ") && !$0.hasPrefix("X-Request-Id: ") }
            .map(String.init)
    }

    /// Creates what `deploy/run` creates before it starts the server.
    private func prepareSample(_ shell: ReadmeShell) async throws {
        let sample = MarkdownDocument.repository.appending(path: "deploy/sample")
        let configuration = try String(contentsOf: sample.appending(path: "gatefold.yaml"), encoding: .utf8)
        try shell.write(configuration, to: "gatefold.yaml")
        for command in [
            "mkdir -p -m 700 secrets editions/daily",
            "openssl genrsa -out made-up.pem 2048",
            "openssl pkey -in made-up.pem -pubout -outform DER | base64 >secrets/made-up-play.pub",
            "for name in pseudonyms daily test; do gatefold secret new --out secrets/$name || exit; done",
            "printf '%s' 'an edition' >editions/daily/com.example.daily.2026-11.zip",
            "gatefold subscribers import '\(sample.appending(path: "subscribers.csv").path)'",
        ] {
            let run = try await shell.run(command)
            #expect(run.status == 0, "\(command): \(run.errors)")
        }
    }
}
