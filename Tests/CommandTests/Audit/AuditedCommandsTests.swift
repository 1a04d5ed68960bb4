import Foundation
import TestSupport
import Testing

@Suite("Commands that write to the audit log") struct AuditedCommandsTests {
    /// The commands that change nothing and reveal no person, with the reason.
    private static let others: [String: String] = [
        "admin token list": "prints names and scopes of tokens, no token and no reader",
        "serve": "runs the server, which records its own administrative actions",
        "config check": "reads the configuration only",
        "config example": "prints a constant",
        "backends status": "prints health, no readers",
        "feed check": "fetches a feed, and prints counts and line numbers without content",
        "feed status": "prints counts and times",
        "catalogue check": "fetches editions, which are public",
        "catalogue status": "prints counts and times",
        "catalogue show": "prints editions, which are public",
        "push status": "prints counts of campaigns",
        "push tokens": "prints counts",
        "credentials verify": "checks a pair that the user has, and prints a pseudonym",
        "purchases status": "prints counts",
        "nodes list": "prints servers",
        "state status": "prints counts, leases and servers",
        "audit list": "prints the log, which names nobody",
        "audit verify": "prints the head of the log",
        "audit export": "writes the log, which names nobody",
        "secret new": "prints random bytes, without a configuration or a state",
        "check": "reads no configuration, and calls an endpoint as its apps do",
    ]

    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let name: String
            }

            let names: [Name]?
        }

        let commandName: String
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// Returns the commands without subcommands, by their words after the program's name.
        func leaves(below words: [String] = []) -> [(name: String, hasReason: Bool)] {
            let children = (subcommands ?? []).filter { $0.commandName != "help" }
            if children.isEmpty {
                let names = (arguments ?? []).flatMap { $0.names ?? [] }.map(\.name)
                return [(words.joined(separator: " "), names.contains("reason"))]
            }
            return children.flatMap { $0.leaves(below: words + [$0.commandName]) }
        }
    }

    private struct Help: Decodable {
        let command: Command
    }

    @Test("Each command takes a reason for the audit log, or is listed as one that changes and reveals nothing")
    func classified() async throws {
        let run = try await GatefoldProgram.run(["--experimental-dump-help"])
        let leaves = try JSONDecoder().decode(Help.self, from: Data(run.output.utf8)).command.leaves()
        #expect(leaves.count > 40)
        #expect(Set(leaves.filter { !$0.hasReason }.map(\.name)) == Set(Self.others.keys))
    }

    @Test("A reason is one line without an address")
    func reasons() async throws {
        for reason in ["", "a\nb", "asked by ada@example.com", String(repeating: "a", count: 501)] {
            let run = try await GatefoldProgram.run(["state", "backup", "x", "--reason", reason])
            #expect(run.status == 64 && run.errors.contains("expected --reason"), "\(run)")
        }
    }
}
