import Foundation
import TestSupport
import Testing

/// Tests the options of `deploy/test` without a build.
@Suite("Options of deploy/test")
struct ScriptOptionsTests {
    /// Runs `deploy/test`.
    private func run(_ arguments: [String]) async throws -> CommandRun {
        let root = MarkdownDocument.repository
        return try await CommandRun.of("/bin/bash", [root.appending(path: "deploy/test").path] + arguments, in: root)
    }

    @Test("The help names every option that the script reads")
    func help() async throws {
        let help = try await run(["--help"])
        #expect(help.status == 0)
        let source = try String(contentsOf: MarkdownDocument.repository.appending(path: "deploy/test"), encoding: .utf8)
        let options = Set(source.matches(of: #/(?m)^ +(--[a-z-]+)\) /#).map { $0.output.1 })
        #expect(options.isSuperset(of: ["--debug", "--fast", "--fuzz-seconds", "--once"]))
        for option in options.union(["--timing", "--filter"]) {
            #expect(help.output.contains(option), "\(option)")
        }
    }

    @Test("Wrong arguments are reported before anything is built")
    func wrongArguments() async throws {
        for (arguments, message) in [
            (["--fast", "--filter", "x"], "--fast: expected no other argument, found --filter"),
            (["--fuzz-seconds", "many"], "--fuzz-seconds: expected a whole number, found many"),
        ] {
            let run = try await run(arguments)
            #expect(run.status == 1)
            #expect(run.errors == "gatefold: \(message)\n")
        }
    }

    @Test("The targets and suites of --fast exist, and each excluded suite is in one of the targets")
    func fastTests() async throws {
        let targets = try await list("fast_targets")
        let suites = try await list("slow_suites")
        #expect(targets.count > 5 && Set(targets).count == targets.count)
        #expect(Set(suites).count == suites.count)
        for target in targets { #expect(try !Self.sources(of: target).isEmpty, "\(target)") }
        for suite in suites {
            let parts = suite.split(separator: ".").map(String.init)
            #expect(parts.count == 2 && targets.contains(parts[0]), "\(suite)")
            let sources = try Self.sources(of: parts[0])
            #expect(
                sources.contains { $0.contains("struct \(parts[1]) ") || $0.contains("class \(parts[1]) ") }, "\(suite)"
            )
        }
        let run = try await CommandRun.of(
            "/bin/bash", ["-c", ". deploy/lib/fast-tests.sh; alternatives A.B C"], in: MarkdownDocument.repository)
        #expect(run.output == #"A\.B|C"#)
    }

    /// Returns the elements of an array of `deploy/lib/fast-tests.sh`.
    private func list(_ name: String) async throws -> [String] {
        let line = ". deploy/lib/fast-tests.sh; printf '%s\\n' \"${\(name)[@]}\""
        let run = try await CommandRun.of("/bin/bash", ["-c", line], in: MarkdownDocument.repository)
        return run.lines
    }

    private static func sources(of target: String) throws -> [String] {
        let folder = MarkdownDocument.repository.appending(path: "Tests/\(target)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
