import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("gatefold state copy", .serialized) struct StateCopyCommandTests {
    @Test("Sessions remain valid or ended when the state moves to PostgreSQL and back to a file")
    func roundTrip() async throws {
        try await SharedStatePair.onPostgreSQL { pair, _ in
            let sample = pair.sample
            try pair.reader("old")
            var tokens: [String] = []
            try await withServer(try pair.embed("state/state.sqlite", as: "embedded.yaml")) { _ async throws in
                for _ in 0..<3 { tokens.append(try await pair.token(0, "old")) }
                #expect(try await pair.call(0, "sign_out", ["token": tokens[0]]).status == 200)
                let busy = try await sample.gatefold(["state", "copy", "--from", "state/state.sqlite"])
                #expect(busy.status == 69 && busy.errorLines.count == 1, "\(busy)")
                #expect(busy.errors.contains("stop it first"), "\(busy.errors)")
            }
            let copied = try await sample.succeed(["state", "copy", "--from", "state/state.sqlite", "--json"])
            #expect(copied.contains("\"revocations\":1"), "\(copied)")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for node in [0, 1] {
                    let states = [try await pair.state(node, tokens[0]), try await pair.state(node, tokens[1])]
                    #expect(states == ["unknown", "active"], "node \(node)")
                }
                #expect(try await pair.call(1, "sign_out", ["token": tokens[1]]).status == 200)
            }
            let back = try await sample.succeed(["state", "copy", "--to", "back.sqlite"])
            #expect(back.contains("2 of them revocations"), "\(back)")
            try await withServer(try pair.embed("back.sqlite", as: "back.yaml")) { _ async throws in
                var states: [String?] = []
                for token in tokens { states.append(try await pair.state(0, token)) }
                #expect(states == ["unknown", "unknown", "active"])
            }
            // The log goes on in each copy.
            let copies = try await sample.succeed(["audit", "list", "--action", "state.copy", "--config", "back.yaml"])
            #expect(copies.split(separator: "\n").count == 4, "\(copies)")
            try await sample.succeed(["audit", "verify", "--config", "back.yaml"])
        }
    }

    @Test("A target with rows, a missing file, and a configuration without PostgreSQL are rejected in one line")
    func mistakes() async throws {
        try await SharedStatePair.onPostgreSQL { pair, servers in
            let sample = pair.sample
            try pair.reader("old")
            try await withServer(try pair.embed("state/state.sqlite", as: "embedded.yaml")) { _ async throws in
                _ = try await pair.token(0, "old")
            }
            try await sample.succeed(["state", "copy", "--from", "state/state.sqlite"])
            func reject(_ arguments: [String], _ status: Int32, _ mention: String) async throws {
                let run = try await sample.gatefold(["state", "copy"] + arguments)
                #expect(run.status == status && run.errorLines.count == 1, "\(arguments): \(run)")
                #expect(run.errors.contains(mention), "\(run.errors)")
            }
            try await reject(["--from", "state/state.sqlite"], 65, "expected an empty state")
            try await reject(["--to", "state/state.sqlite"], 65, "expected an empty state")
            // Each rejected copy has an outcome beside its intent, in its source.
            for arguments in [["--config", "embedded.yaml"], []] {
                let audited = try await sample.succeed(["audit", "list", "--action", "state.copy"] + arguments)
                #expect(audited.contains("phase=incomplete"), "\(audited)")
            }
            try await reject(["--from", "nothing.sqlite"], 66, "there is no state at nothing.sqlite")
            try await reject(
                ["--from", "state/state.sqlite", "--config", "embedded.yaml"], 78, "`state.kind: postgresql`")
            // A newer release may have tables that a copy would lack.
            try await servers.instance.execute(
                """
                INSERT INTO gatefold.migration VALUES (99, 'later', 'x');
                INSERT INTO gatefold.schema_compatibility VALUES (99, 1);
                """, database: "state")
            try await reject(["--to", "new.sqlite"], 78, "\"99 later\"")
        }
    }
}
