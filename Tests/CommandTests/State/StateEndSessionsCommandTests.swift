import Foundation
import TestSupport
import Testing

@Suite("gatefold state end-sessions", .serialized) struct StateEndSessionsCommandTests {
    @Test("Ends all sessions on the nodes that run, and new ones are accepted")
    func nodes() async throws {
        try await SharedStatePair.with(.postgresql) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                var tokens: [String] = []
                for node in [0, 1] { tokens.append(try await pair.token(node, "old")) }
                for token in tokens { #expect(try await pair.state(1, token) == "active") }
                let ended = try await pair.sample.succeed(["state", "end-sessions", "--json"])
                #expect(ended.contains("\"sessionFloor\":"), "\(ended)")
                for node in [0, 1] {
                    for token in tokens {
                        #expect(
                            try await eventually(within: .seconds(2)) { try await pair.state(node, token) != "active" },
                            "node \(node)")
                    }
                }
                let anew = try await pair.token(0, "old")
                for node in [0, 1] { #expect(try await pair.state(node, anew) == "active", "node \(node)") }
                let audited = try await pair.sample.succeed(["audit", "list", "--action", "state.end-sessions"])
                #expect(audited.contains("phase=done") && audited.contains("session_floor="), "\(audited)")
            }
        }
    }

    @Test("Is rejected for a state in a file, with a hint")
    func embedded() async throws {
        try await SharedStatePair.with(.sqlite) { pair async throws in
            let run = try await pair.sample.gatefold(["state", "end-sessions"])
            #expect(run.status == 78 && run.errorLines.count == 1, "\(run)")
            #expect(run.errors.contains("`state restore` ends its sessions"), "\(run.errors)")
        }
    }
}
