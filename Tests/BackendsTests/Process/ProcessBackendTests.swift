import Foundation
import Gatefold
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("A program as the subscriber system") struct ProcessBackendTests {
    private static let ada = credentials("Ada@example.com", "right")
    private static let someone = Subscriber(backend: "program", key: "7")

    private static let recognising = """
        for q in questions:
            answer(id=q["id"], recognised=True, key=q["identifier"])
        """

    @Test("is asked in lines of JSON, and shown only the fields it was promised")
    func questions() async throws {
        let program = """
            for q in questions:
                open("log", "a").write(json.dumps(q, sort_keys=True) + "\\n")
                answer(id=q["id"], recognised=True, key="7", session="s", record={"state": "suspended"})
            """
        try await withProgram(program, settings: "fields: [app]\nsign_out: true\nprocesses: 1") { backend, folder in
            let inquiry = Inquiry(fields: ["app": "reader", "password": "right"])
            let subscriber = Subscriber(backend: "program", key: "7", upstreamSession: "s")
            #expect(try await backend.recognise(Self.ada, inquiry: inquiry) == .recognised(subscriber))
            #expect(try await backend.subscription(of: subscriber, inquiry: inquiry).state == .suspended)
            try await backend.signOut(subscriber, inquiry: inquiry)
            try await backend.health()
            let log = try String(contentsOf: folder.appending(path: "log"), encoding: .utf8)
            #expect(
                log.split(separator: "\n") == [
                    #"{"ask": "recognise", "credentials": {"email": "Ada@example.com", "password": "right"}, "#
                        + #""fields": {"app": "reader"}, "id": 1, "identifier": "ada@example.com"}"#,
                    #"{"ask": "subscription", "fields": {"app": "reader"}, "id": 2, "key": "7", "session": "s"}"#,
                    #"{"ask": "sign_out", "fields": {"app": "reader"}, "id": 3, "key": "7", "session": "s"}"#,
                    #"{"ask": "health", "id": 4}"#,
                ])
            #expect(try children(in: folder).count == 1)
        }
    }

    @Test("inherits no variable, no secret and no descriptor")
    func inheritance() async throws {
        let program = """
            for q in questions:
                open("seen", "w").write(json.dumps([dict(os.environ), sorted(os.listdir("/proc/self/fd"))]))
                answer(id=q["id"])
            """
        let settings = "environment: {PLAIN: one}\nsecrets: {KEY: {env: LEGACY_KEY}}"
        let environment = ["LEGACY_KEY": "hidden", "OTHER": "not for it"]
        try await withProgram(program, settings: settings, environment: environment) { backend, folder in
            // Descriptors of ours that would stay open in a program that is started carelessly.
            let descriptor = open("/dev/null", O_RDONLY)
            defer { close(descriptor) }
            try await backend.health()
            let data = try Data(contentsOf: folder.appending(path: "seen"))
            let seen = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
            var variables = try #require(seen[0] as? [String: String])
            // Python sets it for itself where there is no locale.
            variables["LC_CTYPE"] = nil
            #expect(variables == ["PATH": "/usr/local/bin:/usr/bin:/bin", "PLAIN": "one", "KEY": "hidden"])
            // Standard input, output and error, and the two that look: the log's file and the listing itself.
            #expect(try #require(seen[1] as? [String]).count <= 5)
        }
    }

    @Test("checks the stored password itself, where the program hands it over")
    func proof() async throws {
        let hash = try testHasher().hash("right")
        let program = """
            for q in questions:
                open("seen", "a").write(json.dumps(q["credentials"]))
                if q["identifier"] == "ada@example.com":
                    answer(id=q["id"], recognised=True, key="7", stored="\(hash)")
                else:
                    answer(id=q["id"], recognised=q["identifier"] == "odd@example.com", key="8")
            """
        try await withProgram(program, settings: "proof: {field: password}") { backend, folder in
            #expect(try await backend.recognise(Self.ada, inquiry: Inquiry()) == .recognised(Self.someone))
            for (name, password) in [
                ("ada@example.com", "wrong"), ("bob@example.com", "right"), ("odd@example.com", "right"),
                ("odd@example.com", ""),
            ] {
                let answer = try await backend.recognise(credentials(name, password), inquiry: Inquiry())
                #expect(answer == .notRecognised(message: nil), "\(name) \(password)")
            }
            let seen = try String(contentsOf: folder.appending(path: "seen"), encoding: .utf8)
            #expect(!seen.contains("right") && seen.contains("Ada@example.com"))
        }
    }

    @Test("a stored password that nothing compares is an error, and lets nobody in")
    func uncompared() async throws {
        let program = """
            for q in questions:
                answer(id=q["id"], recognised=True, key="7", stored="anything")
            """
        try await withProgram(program) { backend, _ in
            await #expect(throws: ProcessFailure.uncomparedPassword) {
                try await backend.recognise(Self.ada, inquiry: Inquiry())
            }
        }
    }

    @Test("a record becomes a subscription by the mapping; nobody's is unknown; a missing field is an error")
    func records() async throws {
        let program = """
            records = {"1": {"state": "active", "editions": ["com.example.1", "com.example.2"]},
                "2": {"state": "inactive", "editions": None}, "3": None, "4": {"state": "active"}}
            for q in questions:
                answer(id=q["id"], record=records[q["key"]])
            """
        try await withProgram(program, settings: "subscription: {editions: {from: editions}}") { backend, _ in
            func told(_ key: String) async throws -> Subscription {
                try await backend.subscription(of: Subscriber(backend: "program", key: key), inquiry: Inquiry())
            }
            let both = Set(["com.example.1", "com.example.2"].compactMap { EditionID($0) })
            let answers = [try await told("1"), try await told("2"), try await told("3")]
            #expect(
                answers == [
                    Subscription(state: .active, entitlement: .editions(both)), Subscription(state: .inactive),
                    Subscription(state: .unknown),
                ])
            await #expect(throws: MappingError.missingField("editions")) { try await told("4") }
            let stranger = Subscriber(backend: "other", key: "1")
            #expect(try await backend.subscription(of: stranger, inquiry: Inquiry()) == Subscription(state: .unknown))
        }
    }

    @Test(
        "Pitfall 9: what is no answer could not be asked, and another child answers the next question",
        arguments: [
            ("print('<html>', flush=True)", ProcessFailure.garbage(expected: "a JSON object")),
            ("answer(id=q['id'] + 1, recognised=True, key='7')", .wrongID),
            ("answer(id=q['id'])", .garbage(expected: "`recognised` to be true or false")),
            ("answer(id=q['id'], recognised=True)", .garbage(expected: "`key` to be a text")),
            ("sys.stdout.write('x\\n' * 2); sys.stdout.flush()", .garbage(expected: "one line")),
            ("print('x' * (1 << 20) + 'x', flush=True)", .lineTooLong),
            ("sys.stdout.write('{\"id\":'); sys.exit()", .ended),
            ("os.kill(os.getpid(), signal.SIGKILL)", .ended),
            ("os.close(1); time.sleep(3600)", .ended),
        ])
    func failures(statement: String, failure: ProcessFailure) async throws {
        let program = """
            for q in questions:
                if q["ask"] == "recognise" and not os.path.exists("well"):
                    \(statement)
                else:
                    answer(id=q["id"], recognised=True, key="7")
            """
        try await withProgram(program) { backend, folder in
            // It has answered before, so its failure is not that of a program that does not work at all.
            try await backend.health()
            if failure == .ended {
                // A lost child's question is asked once more, of a new one that has not answered yet.
                await #expect(throws: ProcessFailure.ended) {
                    try await backend.recognise(Self.ada, inquiry: Inquiry())
                }
                await #expect(throws: ProcessFailure.waitsToRestart) { try await backend.health() }
                #expect(try children(in: folder).count == 2)
                return
            }
            await #expect(throws: failure) { try await backend.recognise(Self.ada, inquiry: Inquiry()) }
            try Data().write(to: folder.appending(path: "well"))
            #expect(try await backend.recognise(Self.ada, inquiry: Inquiry()) == .recognised(Self.someone))
            let all = try children(in: folder)
            #expect(all.count == 2)
            #expect(try await holds { all.filter(isRunning).count == 1 })
        }
    }

    @Test("an error that the program reports is one, and it stays")
    func reported() async throws {
        let program = """
            for q in questions:
                answer(id=q["id"], error="no such table: secrets of ada@example.com")
            """
        try await withProgram(program) { backend, folder in
            for _ in 0..<3 {
                await #expect {
                    try await backend.recognise(Self.ada, inquiry: Inquiry())
                } throws: {
                    ($0 as? ProcessFailure)?.cause == "the process answered with an error"
                }
            }
            let all = try children(in: folder)
            #expect(all.count == 1)
        }
    }

    @Test("a silent child is given up in time and ended with all it started, even when it will not go")
    func overdue() async throws {
        let program = """
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            other = os.fork()
            if other == 0:
                open(f"child-{os.getpid()}", "w").close()
            for q in questions if other else [1]:
                time.sleep(3600)
            """
        try await withProgram(program, settings: "timeout: 20s") { backend, folder in
            await #expect(throws: ProcessFailure.overdue) { try await backend.health() }
            let all = try children(in: folder)
            #expect(all.count == 2)
            #expect(try await holds { !all.contains(where: isRunning) })
        }
    }

    @Test("a cancelled question ends at once, and its child with it")
    func cancelled() async throws {
        let program = """
            for q in questions:
                open("asked", "w").close()
                time.sleep(3600)
            """
        try await withProgram(program, settings: "timeout: 300s") { backend, folder in
            let question = Task { try await backend.recognise(Self.ada, inquiry: Inquiry()) }
            #expect(try await holds { FileManager.default.fileExists(atPath: folder.appending(path: "asked").path) })
            question.cancel()
            await #expect(throws: CancellationError.self) { try await question.value }
            let all = try children(in: folder)
            #expect(try await holds { !all.contains(where: isRunning) })
        }
    }

    @Test("an interruption that comes after the answer does not end the next reader's question")
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
        let restart = SharedBackoff(RestartBackoff(shortest: 1, longest: 60), clock: ManualClock().wall)
        let functions = try SpawnFunctions()
        let pool = ConnectionPool<ProcessConnection>(
            size: 1, open: { try ProcessConnection(launch, functions, restart: restart) },
            isLoss: { $0 as? ProcessFailure == .ended })
        let (answered, goOn) = (Pending<Void>(), DispatchSemaphore(value: 0))
        let first = Task {
            try await pool.use { connection in
                try connection.ask(ProcessQuestion(ask: .health), timeout: .seconds(60)) { _ in }
                answered.resolve(())
                goOn.wait()
            }
        }
        _ = await answered.value()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        goOn.signal()
        try await pool.use { try $0.ask(ProcessQuestion(ask: .health), timeout: .seconds(60)) { _ in } }
    }

    @Test("a child that was killed between questions is replaced without anyone noticing")
    func killed() async throws {
        try await withProgram(Self.recognising) { backend, folder in
            for round in 1...3 {
                #expect(
                    try await backend.recognise(Self.ada, inquiry: Inquiry())
                        == .recognised(Subscriber(backend: "program", key: "ada@example.com")))
                let all = try children(in: folder)
                #expect(all.count == round)
                for child in all where isRunning(child) { kill(child, SIGKILL) }
                #expect(try await holds { !all.contains(where: isRunning) })
            }
        }
    }

    @Test("many questions share so many children, and each gets its own answer")
    func pool() async throws {
        try await withProgram(Self.recognising, settings: "processes: 3\ntimeout: 60s") { backend, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let reader = credentials("reader\(number)@example.com", "x")
                        let answer = try await backend.recognise(reader, inquiry: Inquiry())
                        #expect(
                            answer == .recognised(Subscriber(backend: "program", key: "reader\(number)@example.com")))
                    }
                }
                try await group.waitForAll()
            }
            #expect((1...3).contains(try children(in: folder).count))
        }
    }

    @Test("at the end its input is closed, and it goes")
    func end() async throws {
        try await withTemporaryFolder { outer in
            let all = Mutex<[Int32]>([])
            try await withProgram(Self.recognising) { backend, folder in
                _ = try await backend.recognise(Self.ada, inquiry: Inquiry())
                let running = try children(in: folder)
                #expect(running.count == 1 && running.allSatisfy(isRunning))
                all.withLock { $0 = running }
            }
            #expect(try await holds { !all.withLock { $0 }.contains(where: isRunning) })
        }
    }

    @Test("a program that does not get as far as an answer is started again after a while, longer each time")
    func backoff() async throws {
        let clock = ManualClock()
        try await withProgram("sys.exit(1)", clock: clock) { backend, folder in
            for wait in [1, 2, 4] {
                await #expect(throws: ProcessFailure.ended) { try await backend.health() }
                await #expect(throws: ProcessFailure.waitsToRestart) { try await backend.health() }
                clock.advance(by: Double(wait) - 0.1)
                await #expect(throws: ProcessFailure.waitsToRestart) { try await backend.health() }
                clock.advance(by: 0.2)
            }
            let all = try children(in: folder)
            #expect(all.count == 3)
        }
    }

    @Test("a program that is not there is an error with the system's words, and opening succeeds")
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
        "settings that can not be meant are refused",
        arguments: [
            ("processes: 2", "command: expected a program and its arguments"),
            ("command: []", "command: expected a program and its arguments"),
            ("command: [a]\nprocesses: 65", "processes: expected a whole number from 1 to 64"),
            ("command: [a]\nenvironment: {\"A=B\": c}", "environment: expected names of environment variables"),
            ("command: [a]\nsecrets: {KEY: literal}", "secrets.KEY: expected {file: PATH} or {env: NAME}"),
            ("command: [a]\nerrors: log", "errors: expected one of discard, pass"),
            ("command: [a]\nsubscription: {editons: {}}", "did you mean `editions`?"),
        ])
    func refused(yaml: String, words: String) {
        #expect {
            try ProcessBackendKind(name: "p", settings: try backendSettings(yaml))
        } throws: { "\($0)".contains(words) }
    }
}
