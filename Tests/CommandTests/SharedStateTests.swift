import BackendFixtures
import Foundation
import TestSupport
import Testing

@Suite("Two processes on one state", .serialized) struct SharedStateTests {
    /// The database of the state that the processes share.
    enum StateKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case sqlite, postgresql
        var testDescription: String { rawValue }
    }

    /// A publication whose readers are in a file that a program reads until an outage is simulated.
    private struct Pair: Sendable {
        let sample: Sample
        let ports: [Int]

        /// - Parameter servers: The servers of the state; nil for a file.
        init(_ sample: Sample, _ servers: StateServers?) throws {
            self.sample = sample
            ports = [sample.port, try FreePort.find()]
            try sample.write("ask.py", Self.program)
            try sample.write("secrets/postgresql", StateServers.password)
            try sample.configure { Self.configuration($0, servers) }
            let first = try String(contentsOfFile: sample.path("gatefold.yaml"), encoding: .utf8)
            try sample.write(
                "second.yaml",
                first.replacing("127.0.0.1:\(sample.port)", with: "127.0.0.1:\(ports[1])")
                    .replacing(", admin_listen: \"127.0.0.1:\(sample.adminPort)\"", with: "")
                    // Each node has a folder of its own.
                    .replacing("folder: state/node", with: "folder: state/second-node"))
        }

        private static func configuration(_ text: String, _ servers: StateServers?) -> String {
            var text = text
            if let servers {
                text = text.replacing(
                    "path: state/state.sqlite",
                    with: """
                        kind: postgresql, folder: state/node, connection: {hosts: ["127.0.0.1:\(servers.bouncer)"], \
                        database: state, user: \(StateServers.user), password: {file: secrets/postgresql}}
                        """)
            }
            return text.adding(
                publication: "shared",
                backend: """
                    {kind: process, command: [python3, ask.py], subscription: {editions: {from: editions}}, \
                    protection: {cache: {ttl: 0s, last_known_good: 1h}, breaker: {enabled: false}}}
                    """,
                "    fail_open: {enabled: true, lifetime: 10m}\n")
        }

        private static let program = """
            import json, os, sys
            here = os.path.dirname(os.path.abspath(__file__))
            for line in sys.stdin:
                request = json.loads(line)
                response = {"id": request["id"]}
                if os.path.exists(here + "/down"):
                    response["error"] = "down"
                else:
                    readers = json.load(open(here + "/readers.json"))
                    reader = readers.get(request.get("key") or request.get("identifier"))
                    if request["query"] == "authenticate":
                        right = reader is not None and request["credentials"]["password"] == reader["password"]
                        response["authenticated"] = right
                        if right:
                            response["key"] = request["identifier"]
                    elif request["query"] == "subscription":
                        response["record"] = reader
                print(json.dumps(response), flush=True)

            """

        /// Returns the launch of one of the processes.
        func launch(_ number: Int) -> ServerProcess.Launch {
            ServerProcess.Launch(
                GatefoldProgram.path, ["serve", "--config", number == 0 ? "gatefold.yaml" : "second.yaml"],
                in: sample.folder, until: .ports([ports[number]]))
        }

        /// Sets the data of the only reader. The file is replaced atomically, so no process reads a partial one.
        func reader(_ password: String, _ state: String = "active", editions: [String] = [Sample.second]) throws {
            let list = editions.map { "\"\($0)\"" }.joined(separator: ", ")
            try Data(
                """
                {"ada": {"password": "\(password)", "state": "\(state)", "editions": [\(list)]}}
                """.utf8
            ).write(to: URL(fileURLWithPath: sample.path("readers.json")), options: .atomic)
        }

        func startOutage() throws { try sample.write("down", "") }

        func call(_ number: Int, _ name: String, _ fields: [String: String]) async throws -> RawResponse {
            let encoded = fields.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
            return try await RawHTTP(port: ports[number]).post(
                "/shared/\(name)", [("Content-Type", "application/x-www-form-urlencoded")], Array(encoded.utf8))
        }

        func signIn(_ number: Int, _ password: String) async throws -> RawResponse {
            try await call(number, "sign_in", ["email": "ada", "password": password])
        }

        func token(_ number: Int, _ password: String) async throws -> String {
            let response = try await signIn(number, password)
            return try #require(response.element("token"), "\(response.text)")
        }

        func state(_ number: Int, _ token: String) async throws -> String? {
            try await call(number, "verify_subscription", ["token": token]).attribute("state")
        }

        func isIssued(_ number: Int, _ token: String, _ edition: String = Sample.second) async throws -> Bool {
            try await call(number, "edition_credentials", ["token": token, "product_id": edition])
                .element("userid") != nil
        }
    }

    private func withPair(_ kind: StateKind, _ body: (Pair) async throws -> Void) async throws {
        try await withSample { sample in
            switch kind {
            case .sqlite: try await body(try Pair(sample, nil))
            case .postgresql: try await StateServers.run { try await body(try Pair(sample, $0)) }
            }
        }
    }

    /// The maximum time until a fact reaches the other process.
    private static let bound = Duration.seconds(2)

    @Test(
        "In an outage, both processes reject a former password that one has seen replaced, and end its session",
        arguments: StateKind.allCases)
    func changedPassword(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                for number in [0, 1] { _ = try await pair.token(number, "old") }
                try pair.reader("new")
                _ = try await pair.token(0, "new")
                try pair.startOutage()
                // Before the fact arrives, the sign-in may succeed, but its session ends.
                let early = try await pair.signIn(1, "old").element("token")
                #expect(
                    try await eventually(within: Self.bound) { try await pair.signIn(1, "old").status == 503 },
                    "the former password")
                if let early {
                    #expect(
                        try await eventually(within: Self.bound) { try await pair.state(1, early) == "unknown" },
                        "its session")
                    #expect(try await eventually(within: Self.bound) { try await pair.state(0, early) == "unknown" })
                }
                #expect(
                    try await pair.signIn(0, "new").element("token") != nil,
                    "the new password is accepted from the cache")
            }
        }
    }

    @Test("In an outage, both processes reject a password that one has seen rejected", arguments: StateKind.allCases)
    func rejectedPassword(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                _ = try await pair.token(1, "old")
                // The first process has never seen the password accepted, but received the fact.
                try await Task.sleep(for: Self.bound)
                try pair.reader("new")
                #expect(try await pair.signIn(0, "old").error == "notrecognised")
                try pair.startOutage()
                #expect(
                    try await eventually(within: Self.bound) { try await pair.signIn(1, "old").status == 503 })
            }
        }
    }

    @Test(
        "In an outage, both processes deny a reader whom one has seen suspended, also after a restart",
        arguments: StateKind.allCases)
    func suspended(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(1)]) { _ async throws in
                var token = ""
                try await withServer(pair.launch(0)) { first async throws in
                    token = try await pair.token(0, "old")
                    for number in [0, 1] { #expect(try await pair.isIssued(number, token)) }
                    try pair.reader("old", "suspended")
                    #expect(try await pair.state(0, token) == "suspended")
                    try await Task.sleep(for: Self.bound)
                    try pair.startOutage()
                    for number in [0, 1] { #expect(try await !pair.isIssued(number, token), "process \(number)") }
                    first.send(SIGKILL)
                    #expect(await first.end() == -SIGKILL)
                }
                try await withServer(pair.launch(0)) { _ async throws in
                    #expect(try await !pair.isIssued(0, token), "after a restart")
                }
            }
        }
    }

    @Test(
        "In an outage, the other process denies an edition that one has denied, and issues others",
        arguments: StateKind.allCases)
    func deniedEdition(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old", editions: [Sample.second, Sample.third])
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let token = try await pair.token(0, "old")
                for edition in [Sample.second, Sample.third] { #expect(try await pair.isIssued(1, token, edition)) }
                try pair.reader("old", editions: [Sample.third])
                #expect(try await !pair.isIssued(0, token, Sample.second))
                try await Task.sleep(for: Self.bound)
                try pair.startOutage()
                #expect(try await !pair.isIssued(1, token, Sample.second))
                #expect(try await pair.isIssued(1, token, Sample.third))
            }
        }
    }

    @Test("In an outage, both processes admit a reader who was reactivated", arguments: StateKind.allCases)
    func forgiven(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old", "suspended")
            try await withServers([pair.launch(0), pair.launch(1)]) { _ async throws in
                let token = try await pair.token(0, "old")
                #expect(try await !pair.isIssued(0, token))
                try await Task.sleep(for: Self.bound)
                try pair.reader("old")
                #expect(try await pair.isIssued(0, token))
                try await Task.sleep(for: Self.bound)
                try pair.startOutage()
                for number in [0, 1] { #expect(try await pair.isIssued(number, token), "process \(number)") }
            }
        }
    }

    @Test(
        "Pitfall 32: a session that is ended at one process ends at the other, also after a restart",
        arguments: StateKind.allCases)
    func endedSession(kind: StateKind) async throws {
        try await withPair(kind) { pair async throws in
            try pair.reader("old")
            try await withServers([pair.launch(1)]) { _ async throws in
                var tokens: [String] = []
                try await withServer(pair.launch(0)) { _ async throws in
                    for _ in 0..<2 { tokens.append(try await pair.token(0, "old")) }
                    for token in tokens { #expect(try await pair.state(1, token) == "active") }
                    #expect(try await pair.call(0, "sign_out", ["token": tokens[0]]).status == 200)
                    #expect(
                        try await eventually(within: Self.bound) { try await pair.state(1, tokens[0]) == "unknown" })
                    #expect(try await pair.state(1, tokens[1]) == "active")
                    #expect(try await pair.call(1, "sign_out", ["token": tokens[1]]).status == 200)
                }
                try await withServer(pair.launch(0)) { _ async throws in
                    for token in tokens { #expect(try await pair.state(0, token) == "unknown") }
                }
            }
        }
    }
}
