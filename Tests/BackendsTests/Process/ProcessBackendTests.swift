import Foundation
import Gatefold
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import SQLAccess

@Suite("Process backend") struct ProcessBackendTests {
    private static let ada = credentials("Ada@example.com", "right")
    private static let someone = Subscriber(backend: "program", key: "7")

    private static let authenticating = """
        for q in requests:
            respond(id=q["id"], authenticated=True, key=q["identifier"])
        """

    @Test("Queries are lines of JSON with the configured fields only")
    func queries() async throws {
        let program = """
            for q in requests:
                open("log", "a").write(json.dumps(q, sort_keys=True) + "\\n")
                respond(id=q["id"], authenticated=True, key="7", session="s", record={"state": "suspended"})
            """
        try await withProgram(program, settings: "fields: [app]\nsign_out: true\nprocesses: 1") { backend, folder in
            let context = CallContext(fields: ["app": "reader", "password": "right"])
            let subscriber = Subscriber(backend: "program", key: "7", upstreamSession: "s")
            #expect(try await backend.authenticate(Self.ada, context: context).value == .authenticated(subscriber))
            #expect(try await backend.subscription(of: subscriber, context: context).value.state == .suspended)
            try await backend.resolved.signOut(subscriber, context: context)
            try await backend.health()
            let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
            #expect(
                log.split(separator: "\n") == [
                    #"{"credentials": {"email": "Ada@example.com", "password": "right"}, "#
                        + #""fields": {"app": "reader"}, "id": 1, "identifier": "ada@example.com", "query": "authenticate"}"#,
                    #"{"fields": {"app": "reader"}, "id": 2, "key": "7", "query": "subscription", "session": "s"}"#,
                    #"{"fields": {"app": "reader"}, "id": 3, "key": "7", "query": "sign_out", "session": "s"}"#,
                    #"{"id": 4, "query": "health"}"#,
                ])
            #expect(try children(in: folder).count == 1)
        }
    }

    @Test("The program inherits no variable, no secret and no descriptor")
    func inheritance() async throws {
        let program = """
            for q in requests:
                open("seen", "w").write(json.dumps([dict(os.environ), sorted(os.listdir("/proc/self/fd"))]))
                respond(id=q["id"])
            """
        let settings = "environment: {PLAIN: one}\nsecrets: {KEY: {env: LEGACY_KEY}}"
        let environment = ["LEGACY_KEY": "hidden", "OTHER": "not for it"]
        try await withProgram(program, settings: settings, environment: environment) { backend, folder in
            // A descriptor of this process that a careless start would leave open in the program.
            let descriptor = open("/dev/null", O_RDONLY)
            defer { close(descriptor) }
            try await backend.health()
            let data = try Data(contentsOf: folder.appending(path: "seen"))
            let seen = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
            var variables = try #require(seen[0] as? [String: String])
            // Python sets it by itself if there is no locale.
            variables["LC_CTYPE"] = nil
            #expect(variables == ["PATH": "/usr/local/bin:/usr/bin:/bin", "PLAIN": "one", "KEY": "hidden"])
            // Standard input, output and error, and two of the check itself: the log's file and the directory
            // listing.
            #expect(try #require(seen[1] as? [String]).count <= 5)
        }
    }

    @Test("The backend verifies the stored password if the program returns it")
    func proof() async throws {
        let hash = try testHasher().hash("right")
        let program = """
            for q in requests:
                open("seen", "a").write(json.dumps(q["credentials"]))
                if q["identifier"] == "ada@example.com":
                    respond(id=q["id"], authenticated=True, key="7", stored="\(hash)")
                else:
                    respond(id=q["id"], authenticated=q["identifier"] == "odd@example.com", key="8")
            """
        try await withProgram(program, settings: "proof: {field: password}") { backend, folder in
            #expect(
                try await backend.authenticate(Self.ada, context: CallContext()).value == .authenticated(Self.someone))
            for (name, password) in [
                ("ada@example.com", "wrong"), ("bob@example.com", "right"), ("odd@example.com", "right"),
                ("odd@example.com", ""),
            ] {
                let response = try await backend.authenticate(credentials(name, password), context: CallContext()).value
                #expect(response == .rejected(message: nil), "\(name) \(password)")
            }
            let seen = try String(contentsOf: folder.appending(path: "seen"), encoding: .utf8)
            #expect(!seen.contains("right") && seen.contains("Ada@example.com"))
        }
    }

    @Test("A stored password without a `proof` section is an error and authenticates no reader")
    func uncompared() async throws {
        let program = """
            for q in requests:
                respond(id=q["id"], authenticated=True, key="7", stored="anything")
            """
        try await withProgram(program) { backend, _ in
            await #expect(throws: ProcessFailure.unverifiedStoredPassword) {
                try await backend.authenticate(Self.ada, context: CallContext()).value
            }
        }
    }

    @Test("A record is mapped to a subscription, no record is unknown, and a missing field is an error")
    func records() async throws {
        let program = """
            records = {"1": {"state": "active", "editions": ["com.example.1", "com.example.2"]},
                "2": {"state": "inactive", "editions": None}, "3": None, "4": {"state": "active"}}
            for q in requests:
                respond(id=q["id"], record=records[q["key"]])
            """
        try await withProgram(program, settings: "subscription: {editions: {from: editions}}") { backend, _ in
            func fetched(_ key: String) async throws -> Subscription {
                try await backend.subscription(of: Subscriber(backend: "program", key: key), context: CallContext())
                    .value
            }
            let both = Set(["com.example.1", "com.example.2"].compactMap { EditionID($0) })
            let responses = [try await fetched("1"), try await fetched("2"), try await fetched("3")]
            #expect(
                responses == [
                    Subscription(state: .active, entitlement: .editions(both)), Subscription(state: .inactive),
                    Subscription(state: .unknown),
                ])
            await #expect(throws: MappingError.missingField("editions")) { try await fetched("4") }
            let stranger = Subscriber(backend: "other", key: "1")
            #expect(
                try await backend.subscription(of: stranger, context: CallContext()).value
                    == Subscription(state: .unknown))
        }
    }

    @Test(
        "Pitfall 9: an invalid response is a failure, and another child serves the next query",
        arguments: [
            ("print('<html>', flush=True)", ProcessFailure.malformedResponse(expected: "a JSON object")),
            ("respond(id=q['id'] + 1, authenticated=True, key='7')", .wrongID),
            ("respond(id=q['id'])", .malformedResponse(expected: "`authenticated` to be true or false")),
            ("respond(id=q['id'], authenticated=True)", .malformedResponse(expected: "`key` to be a string")),
            ("sys.stdout.write('x\\n' * 2); sys.stdout.flush()", .malformedResponse(expected: "one line")),
            ("print('x' * (1 << 20) + 'x', flush=True)", .lineTooLong),
            ("sys.stdout.write('{\"id\":'); sys.exit()", .ended),
            ("os.kill(os.getpid(), signal.SIGKILL)", .ended),
            ("os.close(1); time.sleep(3600)", .ended),
        ])
    func failures(statement: String, failure: ProcessFailure) async throws {
        let program = """
            for q in requests:
                if q["query"] == "authenticate" and not os.path.exists("well"):
                    \(statement)
                else:
                    respond(id=q["id"], authenticated=True, key="7")
            """
        try await withProgram(program) { backend, folder in
            // It has responded before, so its failure is not that of a program that does not work at all.
            try await backend.health()
            if failure == .ended {
                // The query of a lost child is sent once more, to a new child that has not responded yet.
                await #expect(throws: ProcessFailure.ended) {
                    try await backend.authenticate(Self.ada, context: CallContext()).value
                }
                await #expect(throws: ProcessFailure.restartDelayed) { try await backend.health() }
                #expect(try children(in: folder).count == 2)
                return
            }
            await #expect(throws: failure) { try await backend.authenticate(Self.ada, context: CallContext()).value }
            try Data().write(to: folder.appending(path: "well"))
            #expect(
                try await backend.authenticate(Self.ada, context: CallContext()).value == .authenticated(Self.someone))
            let all = try children(in: folder)
            #expect(all.count == 2)
            #expect(try await holds { all.filter(isRunning).count == 1 })
        }
    }

    @Test("An error that the program reports is a failure, and the program keeps running")
    func reported() async throws {
        let program = """
            for q in requests:
                respond(id=q["id"], error="no such table: secrets of ada@example.com")
            """
        try await withProgram(program) { backend, folder in
            for _ in 0..<3 {
                await #expect {
                    try await backend.authenticate(Self.ada, context: CallContext()).value
                } throws: {
                    ($0 as? ProcessFailure)?.cause == "the process responded with an error"
                }
            }
            let all = try children(in: folder)
            #expect(all.count == 1)
        }
    }

    @Test("A silent child times out and is killed with its own children, even if it ignores SIGTERM")
    func timedOut() async throws {
        let program = """
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            other = os.fork()
            if other == 0:
                open(f"child-{os.getpid()}", "w").close()
            for q in requests if other else [1]:
                time.sleep(3600)
            """
        try await withProgram(program, settings: "timeout: 20s") { backend, folder in
            await #expect(throws: ProcessFailure.timedOut) { try await backend.health() }
            let all = try children(in: folder)
            #expect(all.count == 2)
            #expect(try await holds { !all.contains(where: isRunning) })
        }
    }

    @Test("A cancelled query ends at once, and its child with it")
    func cancelled() async throws {
        let program = """
            for q in requests:
                open("query", "w").close()
                time.sleep(3600)
            """
        try await withProgram(program, settings: "timeout: 300s") { backend, folder in
            let task = Task { try await backend.authenticate(Self.ada, context: CallContext()).value }
            #expect(try await holds { FileManager.default.fileExists(atPath: folder.appending(path: "query").path) })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let all = try children(in: folder)
            #expect(try await holds { !all.contains(where: isRunning) })
        }
    }

    @Test("A late cancellation does not end the next reader's query")
    func lateInterruption() async throws {
        let launch = ProcessLaunch(
            program: "/usr/bin/python3",
            arguments: [
                "-c",
                """
                import json, sys
                for line in sys.stdin: print(json.dumps({"id": json.loads(line)["id"]}), flush=True)
                """,
            ], environment: [:], folder: "/")
        let restart = SharedBackoff(RestartBackoff(minDelay: 1, maxDelay: 60), clock: ManualClock().wall)
        let functions = try SpawnFunctions()
        let pool = ConnectionPool<ProcessConnection>(
            size: 1, open: { try ProcessConnection(launch, functions, restart: restart) },
            isConnectionLoss: { $0 as? ProcessFailure == .ended })
        let (responded, goOn) = (PendingResult<Void>(), DispatchSemaphore(value: 0))
        let first = Task {
            try await pool.use { connection in
                try connection.exchange(ProcessRequest(query: .health), timeout: .seconds(60)) { _ in }
                responded.resolve(())
                goOn.wait()
            }
        }
        _ = await responded.value()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        goOn.signal()
        try await pool.use { try $0.exchange(ProcessRequest(query: .health), timeout: .seconds(60)) { _ in } }
    }

    @Test("A child that was killed between queries is replaced without an error")
    func killed() async throws {
        try await withProgram(Self.authenticating) { backend, folder in
            for round in 1...3 {
                #expect(
                    try await backend.authenticate(Self.ada, context: CallContext()).value
                        == .authenticated(Subscriber(backend: "program", key: "ada@example.com")))
                let all = try children(in: folder)
                #expect(all.count == round)
                for child in all where isRunning(child) { kill(child, SIGKILL) }
                #expect(try await holds { !all.contains(where: isRunning) })
            }
        }
    }

    @Test("Many queries share the configured number of children, and each gets its own response")
    func pool() async throws {
        try await withProgram(Self.authenticating, settings: "processes: 3\ntimeout: 60s") { backend, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let reader = credentials("reader\(number)@example.com", "x")
                        let response = try await backend.authenticate(reader, context: CallContext()).value
                        #expect(
                            response
                                == .authenticated(Subscriber(backend: "program", key: "reader\(number)@example.com")))
                    }
                }
                try await group.waitForAll()
            }
            #expect((1...3).contains(try children(in: folder).count))
        }
    }

    @Test("The program's input is closed when the backend ends, and the program exits")
    func end() async throws {
        try await withTemporaryFolder { outer in
            let all = Mutex<[Int32]>([])
            try await withProgram(Self.authenticating) { backend, folder in
                _ = try await backend.authenticate(Self.ada, context: CallContext()).value
                let running = try children(in: folder)
                #expect(running.count == 1 && running.allSatisfy(isRunning))
                all.withLock { $0 = running }
            }
            #expect(try await holds { !all.withLock { $0 }.contains(where: isRunning) })
        }
    }

    @Test("A program that exits before a response is restarted after a delay that doubles each time")
    func backoff() async throws {
        let clock = ManualClock()
        try await withProgram("sys.exit(1)", clock: clock) { backend, folder in
            for wait in [1, 2, 4] {
                await #expect(throws: ProcessFailure.ended) { try await backend.health() }
                await #expect(throws: ProcessFailure.restartDelayed) { try await backend.health() }
                clock.advance(by: Double(wait) - 0.1)
                await #expect(throws: ProcessFailure.restartDelayed) { try await backend.health() }
                clock.advance(by: 0.2)
            }
            let all = try children(in: folder)
            #expect(all.count == 3)
        }
    }

    @Test("A missing program is a failure with the system's message, and opening the backend succeeds")
    func missing() async throws {
        for command in ["[/nowhere/program]", "[no-such-program-anywhere]"] {
            let settings = try backendSettings("kind: process\ncommand: \(command)", folder: "/")
            let backend = try BackendRegistry.read(name: "p", settings: settings).open(testServices())
            await #expect {
                try await backend.health()
            } throws: {
                ($0 as? ProcessFailure)?.cause == "the process did not start: No such file or directory"
            }
        }
    }

    @Test(
        "Invalid settings are rejected",
        arguments: [
            ("processes: 2", "command: expected a program and its arguments"),
            ("command: []", "command: expected a program and its arguments"),
            ("command: [a]\nprocesses: 65", "processes: expected a whole number from 1 to 64"),
            ("command: [a]\nenvironment: {\"A=B\": c}", "environment: expected names of environment variables"),
            ("command: [a]\nsecrets: {KEY: literal}", "secrets.KEY: expected {file: PATH} or {env: NAME}"),
            ("command: [a]\nstderr: log", "stderr: expected one of discard, inherit"),
            ("command: [a]\nsubscription: {editons: {}}", "did you mean `editions`?"),
        ])
    func rejected(yaml: String, message: String) {
        #expect {
            try ProcessBackendKind(name: "p", settings: try backendSettings(yaml))
        } throws: { "\($0)".contains(message) }
    }
}
