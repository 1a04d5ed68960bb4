import Foundation
import TestSupport
import Testing

@Suite("Several nodes on PostgreSQL", .serialized) struct NodesTests {
    /// The maximum time until a change reaches a node.
    private static let bound = Duration.seconds(2)

    @Test("Pitfall 26: wrong passwords at two nodes count together")
    func wrongPasswords() async throws {
        try await SharedStatePair.with(.postgresql) { pair async throws in
            try pair.reader("right")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for number in 0..<10 {
                    #expect(try await pair.signIn(number % 2, "guess \(number)").error == "notrecognised")
                }
                for node in [0, 1] {
                    let response = try await pair.signIn(node, "guess 10")
                    #expect(response.error == "throttled", "node \(node)")
                    #expect(try #require(response["Retry-After"].flatMap { Int($0) }) >= 1)
                    #expect(try await pair.signIn(node, "right").error == "throttled", "node \(node)")
                }
            }
        }
    }

    @Test("The backend never sees more concurrent calls than its limit, while a second node starts and stops")
    func concurrency() async throws {
        try await SharedStatePair.with(.postgresql) { pair async throws in
            try pair.reader("right")
            try pair.slowDown()
            /// Makes calls at a node for two seconds, each about another reader.
            func load(_ node: Int) async throws -> Int {
                let end = ContinuousClock.now + .seconds(2)
                return try await withThrowingTaskGroup(of: Int.self) { group in
                    for caller in 0..<12 {
                        group.addTask {
                            var rejected = 0
                            while ContinuousClock.now < end {
                                let response = try await pair.call(
                                    node, "sign_in", ["email": "nobody \(node) \(caller) \(rejected)", "password": "x"])
                                if response.error == "notrecognised" { rejected += 1 }
                            }
                            return rejected
                        }
                    }
                    return try await group.reduce(0, +)
                }
            }
            try await withServers([pair.launch(0)]) { _ async throws in
                async let first = load(0)
                try await withServers([pair.launch(1)]) { _ async throws in
                    async let both = (load(0), load(1))
                    let (one, other) = try await both
                    #expect(one > 0 && other > 0)
                }
                #expect(try await first > 0)
                // The remaining node takes the whole limit within seconds.
                try await eventually("all six calls", within: .seconds(5)) {
                    let before = try pair.peaks().count
                    _ = try await load(0)
                    return try pair.peaks().dropFirst(before).max() == 6
                }
            }
            #expect(try pair.peaks().max() == 6)
        }
    }

    private struct Line: Decodable {
        let name: String
        let draining: Bool
        let slots: [String: Int]
    }

    private func nodes(_ pair: SharedStatePair) async throws -> [Line] {
        let run = try await pair.sample.gatefold(["nodes", "list", "--json"])
        #expect(run.status == 0, "\(run.errors)")
        return try JSONDecoder().decode([Line].self, from: Data(run.output.utf8))
    }

    @Test("Nodes are listed, drained and removed by commands")
    func commands() async throws {
        try await SharedStatePair.with(.postgresql) { pair async throws in
            try pair.reader("right")
            func readiness(_ node: Int) async throws -> Int {
                try await RawHTTP(port: pair.ports[node]).send("GET", "/readyz").status
            }
            try await withServers([pair.launch(0)]) { _ async throws in
                try await withServer(pair.launch(1)) { second async throws in
                    let names = try await nodes(pair).map(\.name)
                    #expect(Set(names.map { $0.split(separator: ":").last }) == Set(pair.ports.map { "\($0)" }))
                    let drained = try #require(names.first { $0.hasSuffix(":\(pair.ports[0])") })
                    #expect(try await pair.sample.gatefold(["nodes", "drain", drained]).status == 0)
                    #expect(try await eventually(within: Self.bound) { try await readiness(0) == 503 })
                    #expect(try await readiness(1) == 200)
                    #expect(try await nodes(pair).filter(\.draining).map(\.name) == [drained])
                    #expect(try await pair.signIn(0, "right").element("token") != nil, "a draining node serves")
                    #expect(try await pair.sample.gatefold(["nodes", "drain", "--undo", drained]).status == 0)
                    #expect(try await eventually(within: Self.bound) { try await readiness(0) == 200 })
                    #expect(try await pair.sample.gatefold(["nodes", "drain", "absent"]).status == 66)
                    let status = try await pair.sample.gatefold(["state", "status"])
                    #expect(status.status == 0 && status.output.contains("node\t\(drained)"), "\(status.output)")
                    second.send(SIGKILL)
                    _ = await second.end()
                }
                let names = try await nodes(pair).map(\.name)
                #expect(names.count == 2, "a lost node stays for a while")
                let lost = try #require(names.first { $0.hasSuffix(":\(pair.ports[1])") })
                #expect(try await pair.sample.gatefold(["nodes", "remove", lost]).status == 0)
                #expect(try await nodes(pair).count == 1)
            }
            let audited = try await pair.sample.succeed(["audit", "list", "--action", "node."]).split(separator: "\n")
            let actions = audited.reversed().map { $0.split(separator: "\t")[3].dropFirst("node.".count) }
            // Each change has the entries of its intent and its outcome, also that of a node that does not exist.
            #expect(actions == ["drain", "drain", "serve", "serve", "drain", "drain", "remove", "remove"])
            #expect(try await nodes(pair).isEmpty, "a node that stops disappears")
        }
    }
}
