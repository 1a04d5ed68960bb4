import Crypto
import Foundation
import Gatefold
import PushBenches
import State
import TestSupport
import Testing

@Suite("gatefold push", .timeLimit(.minutes(10))) struct PushCommandTests {
    private static let app = "com.example.daily"

    private struct Bench: Sendable {
        let folder: URL
        let standIn: APNsStandIn
        let tokens: [String]

        var locks: [String] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            return (names ?? []).filter { $0.hasSuffix(".lock") }
        }

        func push(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["push"] + arguments, in: folder)
        }
    }

    /// - Parameter apps: so many tokens each, numbered on from app to app.
    private func with(
        _ count: Int, of apps: [String] = [Self.app], catalogue: String = "",
        _ body: @Sendable @escaping (Bench) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("roots", in: folder)
            try await withAPNsStandIn(authority) { standIn in
                let files = [
                    "key.p8": P256.Signing.PrivateKey().pemRepresentation, "references": "vS3nq0sYb2uT7kDx",
                    "daily": "Kq7wN2vR8tYx4mZp",
                    "gatefold.yaml": """
                    server: {listen: "127.0.0.1:\(try FreePort.find())"}
                    state: {path: state.sqlite, reference_secret: {file: references}}
                    backends: {made-up: {kind: test}}
                    publications:
                      daily:
                        test: true
                        backend: made-up
                        policy: backend
                        edition_credentials: {salt: plain}
                        secrets: [{file: daily}]
                    \(catalogue)
                        push:
                          production_url: \(standIn.url)
                          root: {file: \(authority.certificate)}
                          apps:
                    \(apps.map { app in
                        "        \(app): {team: TEAM123456, key_id: KEY1234567, key: {file: key.p8}}"
                    }.joined(separator: "\n"))
                    """,
                ]
                for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
                let store = try SQLiteStateStore(path: folder.appending(path: "state.sqlite").path)
                for number in 1...count * apps.count {
                    try await store.register(
                        PushToken(
                            app: apps[(number - 1) / count], bytes: PushToken.numbered(number), environment: .production
                        ),
                        at: Date())
                }
                let tokens = (1...count * apps.count).map { number in
                    PushToken.numbered(number).map { String(format: "%02x", $0) }.joined()
                }
                try await body(Bench(folder: folder, standIn: standIn, tokens: tokens))
            }
        }
    }

    @Test("send tells every installation once, status and tokens say how far it is, and no token is printed")
    func send() async throws {
        try await with(30) { bench in
            bench.standIn.answer(bench.tokens[0], .status(410, reason: "Unregistered"))
            #expect(try await bench.push("status").lines == ["no campaigns"])
            #expect(try await bench.push("status", "--limit", "0").status == 64)
            let dry = try await bench.push("send", "--edition", "daily-7", "--dry-run")
            #expect(dry.status == 0, "\(dry.errors)")
            #expect(dry.lines.first == "\(Self.app)/daily-7: 30 notifications would be sent (production)")
            #expect(dry.output.contains(#"{"aps":{"content-available":1},"content-name":"daily-7"}"#))
            #expect(bench.standIn.requests.isEmpty)

            let sent = try await bench.push("send", "--edition", "daily-7")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(sent.lines == ["\(Self.app)/daily-7: 29 sent, 0 failed, 1 gone"])
            #expect(sent.errorLines.last == "\(Self.app)/daily-7: 30 of 30: 29 sent, 0 failed, 1 gone")
            #expect(bench.standIn.requests.count == 30)

            let again = try await bench.push("send", "--edition", "daily-7")
            #expect(again.status == 0)
            #expect(bench.locks == [])
            #expect(again.output.contains("29 sent, 0 failed, 1 gone; begun "))
            #expect(bench.standIn.requests.count == 30)

            let tokens = try await bench.push("tokens")
            #expect(tokens.lines == ["\(Self.app) production: 29", "\(Self.app) sandbox: 0"])
            let lines = try await bench.push("status")
            #expect(lines.lines.count == 1)
            #expect(lines.output.contains("\(Self.app)/daily-7: begun "))
            #expect(lines.output.hasSuffix("; 29 sent, 0 failed, 1 gone\n"))
            let status = try await bench.push("status", "--json")
            #expect(status.output.contains(#""ahead":0,"app":"com.example.daily""#))
            for run in [dry, sent, again, tokens, status] {
                #expect(!(run.output + run.errors).contains("a5a5"))
            }
        }
    }

    @Test("send of an edition that is not in the catalogue tells nobody, not even that it would")
    func unknownEdition() async throws {
        let catalogue = "    catalogue: [{id: daily-7, published: 2026-01-01}]"
        try await with(3, catalogue: catalogue) { bench async throws in
            for arguments in [["--edition", "daily-77"], ["--edition", "daily-77", "--dry-run"]] {
                let run = try await GatefoldProgram.run(["push", "send"] + arguments, in: bench.folder)
                #expect(run.status == 64, "\(run.output)")
                #expect(run.errors.contains("daily-77"))
                #expect(run.output.isEmpty)
            }
            #expect(bench.standIn.requests.isEmpty)
            #expect(try await bench.push("status").lines == ["no campaigns"])
            #expect(try await bench.push("send", "--edition", "daily-7").status == 0)
            #expect(bench.standIn.requests.count == 3)
        }
        // Where a source has it, nobody knows before that was asked.
        try await with(3, catalogue: "    catalogue: {kind: baker, url: \"http://127.0.0.1:1/none\"}") {
            bench async throws in
            #expect(try await bench.push("send", "--edition", "daily-7").status == 69)
            #expect(bench.standIn.requests.isEmpty)
        }
    }

    @Test("send that was killed goes on where it was, and tells only those of the last unsaved batch twice")
    func killed() async throws {
        try await with(1_000) { bench in
            let door = Door()
            bench.standIn.answer(bench.tokens[499], .wait(door))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send", "--edition", "daily-7"], in: bench.folder,
                until: .port(bench.standIn.port))
            try await withServer(launch) { server in
                await until { bench.standIn.count >= 300 }
                kill(server.identifier, SIGKILL)
            }
            door.open()
            let before = bench.standIn.requests.count
            #expect(before < 1_000)
            let open = try await bench.push("status")
            #expect(open.output.contains(" to go; "), "\(open.output)")

            let rest = try await bench.push("send", "--edition", "daily-7")
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(rest.output.contains("\(Self.app)/daily-7: 1000 sent, 0 failed, 0 gone; begun "))
            let counts = bench.standIn.counts
            #expect(counts.count == 1_000)
            #expect(counts.values.allSatisfy { $0 <= 2 })
            #expect(counts.values.count { $0 == 2 } <= 100)
        }
    }

    @Test("send stops cleanly at SIGTERM, says so by its status, and tells nobody twice after it")
    func terminated() async throws {
        try await with(400) { bench in
            let door = Door()
            bench.standIn.answer(bench.tokens[199], .wait(door))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send"], in: bench.folder, until: .port(bench.standIn.port))
            try await withServer(launch) { server in
                await until { bench.standIn.count >= 200 }
                kill(server.identifier, SIGTERM)
                door.open()
                let end = ContinuousClock.now + .seconds(60)
                while !server.output.contains("the same command goes on"), ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(server.output.contains("the same command goes on with it"), "\(server.output)")
            }
            let rest = try await bench.push("send")
            #expect(rest.output.contains("400 sent, 0 failed, 0 gone"), "\(rest.output)\(rest.errors)")
            #expect(bench.standIn.counts.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("send tells every app whatever becomes of another, and goes on with those that were stopped only")
    func severalApps() async throws {
        try await with(3, of: [Self.app, "com.example.weekly"]) { bench in
            for token in bench.tokens.prefix(3) {
                bench.standIn.answer(token, .status(403, reason: "InvalidProviderToken"))
            }
            let first = try await bench.push("send")
            #expect(first.status == 78)
            #expect(first.errors.contains("\(Self.app): APNs refuses the notifications"), "\(first.errors)")
            #expect(first.lines.count == 1)
            #expect(first.output.hasPrefix("com.example.weekly/"))
            #expect(first.output.hasSuffix(": 3 sent, 0 failed, 0 gone\n"))
            for token in bench.tokens.prefix(3) { bench.standIn.answer(token) }
            let dry = try await bench.push("send", "--dry-run")
            #expect(dry.output.contains("3 notifications would be sent") && !dry.output.contains("weekly"))

            let second = try await bench.push("send")
            #expect(second.status == 0, "\(second.errors)")
            #expect(second.lines.count == 1)
            #expect(second.output.hasPrefix("\(Self.app)/"))
            #expect(second.output.hasSuffix(": 3 sent, 0 failed, 0 gone\n"))
            #expect(bench.tokens.suffix(3).allSatisfy { bench.standIn.counts[$0] == 1 })
        }
    }

    @Test("send stopped at the first of several apps goes on with all of them")
    func severalAppsTerminated() async throws {
        try await with(300, of: [Self.app, "com.example.weekly"]) { bench in
            let door = Door()
            bench.standIn.answer(bench.tokens[30], .wait(door))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send"], in: bench.folder, until: .port(bench.standIn.port))
            try await withServer(launch) { server in
                await until { bench.standIn.count >= 31 }
                server.send(SIGTERM)
                door.open()
                #expect(await server.end() == 75, "\(server.output)")
            }
            let rest = try await bench.push("send")
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(rest.lines.count == 2)
            #expect(bench.standIn.counts.count == 600)
            #expect(bench.tokens.suffix(300).allSatisfy { bench.standIn.counts[$0] == 1 })
        }
    }

    @Test("send by itself leaves a campaign with a name to its name")
    func named() async throws {
        // More than are sent beyond one that waits, so that it is not at its end when it is stopped.
        try await with(400) { bench in
            let payload = bench.folder.appending(path: "p.json")
            try Data(#"{"aps":{"alert":"Sale"}}"#.utf8).write(to: payload)
            let door = Door()
            bench.standIn.answer(bench.tokens[60], .wait(door))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send", "--name", "sale", "--payload", "p.json"], in: bench.folder,
                until: .port(bench.standIn.port))
            try await withServer(launch) { server in
                await until { bench.standIn.count >= 61 }
                server.send(SIGTERM)
                door.open()
                #expect(await server.end() == 75, "\(server.output)")
            }
            let before = bench.standIn.count
            let plain = try await bench.push("send")
            #expect(plain.status == 0, "\(plain.errors)")
            #expect(plain.output.contains("400 sent, 0 failed, 0 gone"))
            #expect(bench.standIn.count == before + 400)
            let rest = try await bench.push("send", "--name", "sale", "--payload", "p.json")
            #expect(rest.output.contains("sale: 400 sent"), "\(rest.output)\(rest.errors)")
            let kinds = Dictionary(grouping: bench.standIn.requests) { $0.field("apns-push-type") ?? "" }
            #expect(kinds.mapValues(\.count) == ["alert": 400, "background": 400])
            #expect(bench.locks == [])
        }
    }

    @Test("send stops at tokens of which APNs knows none, and goes past them when it is told that all is right")
    func unknownTokens() async throws {
        try await with(130) { bench in
            for token in bench.tokens.prefix(120) {
                bench.standIn.answer(
                    token, .status(400, reason: "BadDeviceToken"), .status(400, reason: "BadDeviceToken"))
            }
            let stopped = try await bench.push("send", "--edition", "daily-7")
            #expect(stopped.status == 78)
            #expect(stopped.errors.contains("APNs knows none of the first 50 tokens"))
            #expect(stopped.errors.contains("--edition daily-7 --forget-unknown` removes them"))
            #expect(try await bench.push("tokens").lines.first == "\(Self.app) production: 130")
            let gone = try await bench.push("send", "--edition", "daily-7", "--forget-unknown")
            #expect(gone.status == 0, "\(gone.errors)")
            #expect(gone.output.contains("10 sent, 0 failed, 120 gone"))
            #expect(try await bench.push("tokens").lines.first == "\(Self.app) production: 10")
        }
    }

    @Test("is done by the server when an edition comes out")
    func published() async throws {
        try await with(12) { bench in
            let file = bench.folder.appending(path: "gatefold.yaml")
            let adminPort = try FreePort.find()
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing("server: {", with: "server: {admin_listen: \"127.0.0.1:\(adminPort)\", ")
                .replacing(
                    "push:",
                    with: "catalogue: [{id: daily-6, published: 2026-01-01}]\n    push:\n      on_publish: true")
            try Data(text.utf8).write(to: file)
            let port = try #require(text.firstMatch(of: /[ ]listen: "127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
            let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: bench.folder, until: .port(port))
            bench.standIn.answer(bench.tokens[0], .status(410, reason: "Unregistered"))
            bench.standIn.answer(bench.tokens[1], .status(500))
            try await withServer(launch) { server in
                let memory = bench.folder.appending(path: "catalogues")
                let isRemembered = try await eventually {
                    (try? FileManager.default.contentsOfDirectory(atPath: memory.path))?.isEmpty == false
                }
                #expect(isRemembered, "\(server.output)")
                let more = "[{id: daily-7, published: 2026-02-01}, {id: daily-8, published: 2026-02-02}, {id: daily-6,"
                try Data(text.replacing("[{id: daily-6,", with: more).utf8).write(to: file)
                #expect(try await eventually { server.catches(SIGHUP) })
                kill(server.identifier, SIGHUP)
                #expect(
                    try await eventually { server.output.contains("push campaign finished") }, "\(server.output)")
                let metrics = try await RawHTTP(port: adminPort).send("GET", "/metrics").text
                for (result, count) in ["sent": 11, "gone": 1, "retried": 1] {
                    let labels = "publication=\"daily\",app=\"\(Self.app)\",result=\"\(result)\""
                    #expect(metrics.contains("gatefold_push_notifications_total{\(labels)} \(count)\n"), "\(metrics)")
                }
                for result in ["begun", "finished"] {
                    #expect(
                        metrics.contains(
                            "gatefold_push_campaigns_total{publication=\"daily\",result=\"\(result)\"} 1\n"))
                }
                #expect(metrics.contains("gatefold_push_campaigns_open{publication=\"daily\"} 0.0\n"))
            }
            var expected = Dictionary(uniqueKeysWithValues: bench.tokens.map { ($0, 1) })
            expected[bench.tokens[1]] = 2
            #expect(bench.standIn.counts == expected)
            #expect(bench.standIn.requests.allSatisfy { $0.body.contains("daily-8") }, "the newest of both")
            let again = try await bench.push("send", "--edition", "daily-8")
            #expect(again.output.contains("11 sent, 0 failed, 1 gone; begun "))
        }
    }

    @Test("is gone on with by the server after a reload, when what APNs refused may have been put right")
    func reloaded() async throws {
        try await with(3) { bench in
            let file = bench.folder.appending(path: "gatefold.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing("push:", with: "push:\n      on_publish: true")
            try Data(text.utf8).write(to: file)
            let port = try #require(text.firstMatch(of: /[ ]?listen: "127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
            for token in bench.tokens {
                bench.standIn.answer(token, .status(403, reason: "InvalidProviderToken"))
            }
            #expect(try await bench.push("send", "--edition", "daily-7").status == 78)
            for token in bench.tokens {
                bench.standIn.answer(token, .status(403, reason: "InvalidProviderToken"))
            }
            let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: bench.folder, until: .port(port))
            try await withServer(launch) { server async throws in
                #expect(
                    try await eventually { server.output.contains("push campaign stopped") }, "\(server.output)")
                for token in bench.tokens { bench.standIn.answer(token) }
                #expect(try await eventually { server.catches(SIGHUP) })
                server.send(SIGHUP)
                #expect(
                    try await eventually { server.output.contains("push campaign finished") }, "\(server.output)")
            }
        }
    }

    @Test("send shows a bar on a terminal")
    func bar() async throws {
        try await with(20) { bench in
            let run = try await CommandRun.of(
                "script", ["-qec", "\(GatefoldProgram.path) push send --name hello", "/dev/null"], in: bench.folder)
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("████████████████████████████████████████ 100 %  20 of 20: 20 sent"))
            #expect(run.output.contains("hello: 20 sent, 0 failed, 0 gone"))
        }
    }

    @Test("send says what is wrong, by its status, too")
    func errors() async throws {
        try await with(2) { bench in
            for token in bench.tokens {
                bench.standIn.answer(token, .status(403, reason: "InvalidProviderToken"))
            }
            let refused = try await bench.push("send", "--edition", "daily-7")
            #expect(refused.status == 78)
            #expect(refused.errors.contains("APNs refuses the notifications (403 InvalidProviderToken)"))
            #expect(try await bench.push("send", "--app", "com.example.other").status == 64)
            #expect(try await bench.push("send", "--edition", "a:b").status == 64)
            #expect(try await bench.push("send", "--payload", "p.json").status == 64)
            #expect(try await bench.push("send", "--name", "n", "--payload", "p.json").status == 66)
            try Data("[]".utf8).write(to: bench.folder.appending(path: "p.json"))
            #expect(try await bench.push("send", "--name", "n", "--payload", "p.json").status == 65)
            try Data(#"{"aps":{"alert":"Hello"}}"#.utf8).write(to: bench.folder.appending(path: "p.json"))
            #expect(try await bench.push("send", "--name", "n", "--payload", "p.json").status == 0)
            #expect(bench.standIn.requests.last?.field("apns-push-type") == "alert")
        }
    }
}
