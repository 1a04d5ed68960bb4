import Crypto
import Foundation
import Gatefold
import PushFixtures
import State
import TestSupport
import Testing

@Suite("gatefold push", .timeLimit(.minutes(10))) struct PushCommandTests {
    private static let app = "com.example.daily"

    private struct Fixture: Sendable {
        let folder: URL
        let fake: FakeAPNs
        let tokens: [String]

        var locks: [String] {
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
            return (names ?? []).filter { $0.hasSuffix(".lock") }
        }

        func push(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["push"] + arguments, in: folder)
        }
    }

    /// - Parameter count: The number of tokens of each app, numbered consecutively across apps.
    private func with(
        _ count: Int, of apps: [String] = [Self.app], catalogue: String = "",
        _ body: @Sendable @escaping (Fixture) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await TestAuthority("roots", in: folder)
            try await withFakeAPNs(authority) { fake in
                let files = [
                    "key.p8": P256.Signing.PrivateKey().pemRepresentation, "pseudonyms": "vS3nq0sYb2uT7kDx",
                    "daily": "Kq7wN2vR8tYx4mZp",
                    "gatefold.yaml": """
                    server: {listen: "127.0.0.1:\(try FreePort.find())"}
                    state: {path: state.sqlite, pseudonym_secret: {file: pseudonyms}}
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
                          production_url: \(fake.url)
                          root: {file: \(authority.certificate)}
                          apps:
                    \(apps.map { app in
                        "        \(app): {team: TEAM123456, key_id: KEY1234567, key: {file: key.p8}}"
                    }.joined(separator: "\n"))
                    """,
                ]
                for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
                let store = try SQLStateStore(path: folder.appending(path: "state.sqlite").path)
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
                try await body(Fixture(folder: folder, fake: fake, tokens: tokens))
            }
        }
    }

    @Test("`send` notifies every installation once, `status` and `tokens` show progress, and no token is printed")
    func send() async throws {
        try await with(30) { fixture in
            fixture.fake.response(fixture.tokens[0], .status(410, reason: "Unregistered"))
            #expect(try await fixture.push("status").lines == ["No campaigns."])
            #expect(try await fixture.push("status", "--limit", "0").status == 64)
            let dry = try await fixture.push("send", "--edition", "daily-7", "--dry-run")
            #expect(dry.status == 0, "\(dry.errors)")
            #expect(dry.lines.first == "\(Self.app)/daily-7: 30 notifications would be sent (production)")
            #expect(dry.output.contains(#"{"aps":{"content-available":1},"content-name":"daily-7"}"#))
            #expect(fixture.fake.requests.isEmpty)

            let sent = try await fixture.push("send", "--edition", "daily-7")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(sent.lines == ["\(Self.app)/daily-7: 29 sent, 0 failed, 1 gone"])
            #expect(sent.errorLines.last == "\(Self.app)/daily-7: 30 of 30: 29 sent, 0 failed, 1 gone")
            #expect(fixture.fake.requests.count == 30)

            let again = try await fixture.push("send", "--edition", "daily-7")
            #expect(again.status == 0)
            #expect(fixture.locks == [])
            #expect(again.output.contains("29 sent, 0 failed, 1 gone; started "))
            #expect(fixture.fake.requests.count == 30)

            let audited = try await GatefoldProgram.run(["audit", "list", "--action", "push."], in: fixture.folder)
            #expect(audited.lines.count == 4, "\(audited)")
            #expect(audited.output.contains("push.send\tcampaign:\(Self.app)/daily-7\tdaily"), "\(audited)")

            let tokens = try await fixture.push("tokens")
            #expect(tokens.lines == ["\(Self.app) production: 29", "\(Self.app) sandbox: 0"])
            let lines = try await fixture.push("status")
            #expect(lines.lines.count == 1)
            #expect(lines.output.contains("\(Self.app)/daily-7: started "))
            #expect(lines.output.hasSuffix("; 29 sent, 0 failed, 1 gone\n"))
            let status = try await fixture.push("status", "--json")
            #expect(status.output.contains(#""ahead":0,"app":"com.example.daily""#))
            for run in [dry, sent, again, tokens, status] {
                #expect(!(run.output + run.errors).contains("a5a5"))
            }
        }
    }

    @Test("`send` rejects an edition outside the catalogue, also in a dry run")
    func unknownEdition() async throws {
        let catalogue = "    catalogue: [{id: daily-7, published: 2026-01-01}]"
        try await with(3, catalogue: catalogue) { fixture async throws in
            for arguments in [["--edition", "daily-77"], ["--edition", "daily-77", "--dry-run"]] {
                let run = try await GatefoldProgram.run(["push", "send"] + arguments, in: fixture.folder)
                #expect(run.status == 64, "\(run.output)")
                #expect(run.errors.contains("daily-77"))
                #expect(run.output.isEmpty)
            }
            #expect(fixture.fake.requests.isEmpty)
            #expect(try await fixture.push("status").lines == ["No campaigns."])
            #expect(try await fixture.push("send", "--edition", "daily-7").status == 0)
            #expect(fixture.fake.requests.count == 3)
        }
        // With a catalogue source, the edition is unknown before the first fetch.
        try await with(3, catalogue: "    catalogue: {kind: baker, url: \"http://127.0.0.1:1/none\"}") {
            fixture async throws in
            #expect(try await fixture.push("send", "--edition", "daily-7").status == 69)
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @Test("A killed `send` resumes, and repeats at most the last unsaved batch")
    func killed() async throws {
        try await with(1_000) { fixture in
            let latch = ManualLatch()
            fixture.fake.response(fixture.tokens[499], .wait(latch))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send", "--edition", "daily-7"], in: fixture.folder,
                until: .port(fixture.fake.port))
            try await withServer(launch) { server in
                await until { fixture.fake.count >= 300 }
                kill(server.identifier, SIGKILL)
            }
            latch.open()
            // The service still reads what the killed process has sent.
            var before = -1
            while before != fixture.fake.requests.count {
                before = fixture.fake.requests.count
                try await Task.sleep(for: .milliseconds(500))
            }
            #expect(before < 1_000)
            let open = try await fixture.push("status")
            #expect(open.output.contains(" remaining; "), "\(open.output)")

            // The lease of the killed process ends 30 s after it was taken.
            #expect(try await fixture.push("send", "--edition", "daily-7").status == 75)
            #expect(fixture.fake.requests.count == before)
            var rest = try await fixture.push("send", "--edition", "daily-7")
            let deadline = ContinuousClock.now + .seconds(40)
            while rest.status == 75, ContinuousClock.now < deadline {
                try await Task.sleep(for: .seconds(1))
                rest = try await fixture.push("send", "--edition", "daily-7")
            }
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(rest.output.contains("\(Self.app)/daily-7: 1000 sent, 0 failed, 0 gone; started "))
            let counts = fixture.fake.counts
            #expect(counts.count == 1_000)
            #expect(counts.values.allSatisfy { $0 <= 2 })
            #expect(counts.values.count { $0 == 2 } <= 100)
        }
    }

    @Test("`send` stops cleanly at SIGTERM with its own status and repeats no notification afterwards")
    func terminated() async throws {
        try await with(400) { fixture in
            let latch = ManualLatch()
            fixture.fake.response(fixture.tokens[199], .wait(latch))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send"], in: fixture.folder, until: .port(fixture.fake.port))
            try await withServer(launch) { server in
                await until { fixture.fake.count >= 200 }
                kill(server.identifier, SIGTERM)
                latch.open()
                let end = ContinuousClock.now + .seconds(60)
                while !server.output.contains("the same command resumes it"), ContinuousClock.now < end {
                    try await Task.sleep(for: .milliseconds(5))
                }
                #expect(server.output.contains("the same command resumes it"), "\(server.output)")
            }
            let rest = try await fixture.push("send")
            #expect(rest.output.contains("400 sent, 0 failed, 0 gone"), "\(rest.output)\(rest.errors)")
            #expect(fixture.fake.counts.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("`send` continues with other apps after one failed, and resumes only the stopped ones")
    func severalApps() async throws {
        try await with(3, of: [Self.app, "com.example.weekly"]) { fixture in
            for token in fixture.tokens.prefix(3) {
                fixture.fake.response(token, .status(403, reason: "InvalidProviderToken"))
            }
            let first = try await fixture.push("send")
            #expect(first.status == 78)
            #expect(first.errors.contains("\(Self.app): APNs rejects the notifications"), "\(first.errors)")
            #expect(first.lines.count == 1)
            #expect(first.output.hasPrefix("com.example.weekly/"))
            #expect(first.output.hasSuffix(": 3 sent, 0 failed, 0 gone\n"))
            for token in fixture.tokens.prefix(3) { fixture.fake.response(token) }
            let dry = try await fixture.push("send", "--dry-run")
            #expect(dry.output.contains("3 notifications would be sent") && !dry.output.contains("weekly"))

            let second = try await fixture.push("send")
            #expect(second.status == 0, "\(second.errors)")
            #expect(second.lines.count == 1)
            #expect(second.output.hasPrefix("\(Self.app)/"))
            #expect(second.output.hasSuffix(": 3 sent, 0 failed, 0 gone\n"))
            #expect(fixture.tokens.suffix(3).allSatisfy { fixture.fake.counts[$0] == 1 })
        }
    }

    @Test("`send` stopped at the first of several apps resumes with all of them")
    func severalAppsTerminated() async throws {
        try await with(300, of: [Self.app, "com.example.weekly"]) { fixture in
            let latch = ManualLatch()
            fixture.fake.response(fixture.tokens[30], .wait(latch))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send"], in: fixture.folder, until: .port(fixture.fake.port))
            try await withServer(launch) { server in
                await until { fixture.fake.count >= 31 }
                server.send(SIGTERM)
                latch.open()
                #expect(await server.end() == 75, "\(server.output)")
            }
            let rest = try await fixture.push("send")
            #expect(rest.status == 0, "\(rest.errors)")
            #expect(rest.lines.count == 2)
            #expect(fixture.fake.counts.count == 600)
            #expect(fixture.tokens.suffix(300).allSatisfy { fixture.fake.counts[$0] == 1 })
        }
    }

    @Test("`send` without a name does not resume a named campaign")
    func named() async throws {
        // More tokens than are sent while one request waits, so the campaign is unfinished when it is stopped.
        try await with(400) { fixture in
            let payload = fixture.folder.appending(path: "p.json")
            try Data(#"{"aps":{"alert":"Sale"}}"#.utf8).write(to: payload)
            let latch = ManualLatch()
            fixture.fake.response(fixture.tokens[60], .wait(latch))
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["push", "send", "--name", "sale", "--payload", "p.json"], in: fixture.folder,
                until: .port(fixture.fake.port))
            try await withServer(launch) { server in
                await until { fixture.fake.count >= 61 }
                server.send(SIGTERM)
                latch.open()
                #expect(await server.end() == 75, "\(server.output)")
            }
            let before = fixture.fake.count
            let plain = try await fixture.push("send")
            #expect(plain.status == 0, "\(plain.errors)")
            #expect(plain.output.contains("400 sent, 0 failed, 0 gone"))
            #expect(fixture.fake.count == before + 400)
            let rest = try await fixture.push("send", "--name", "sale", "--payload", "p.json")
            #expect(rest.output.contains("sale: 400 sent"), "\(rest.output)\(rest.errors)")
            let kinds = Dictionary(grouping: fixture.fake.requests) { $0.field("apns-push-type") ?? "" }
            #expect(kinds.mapValues(\.count) == ["alert": 400, "background": 400])
            #expect(fixture.locks == [])
        }
    }

    @Test("`send` stops when APNs knows no token, and continues with `--remove-unknown`")
    func unknownTokens() async throws {
        try await with(130) { fixture in
            for token in fixture.tokens.prefix(120) {
                fixture.fake.response(
                    token, .status(400, reason: "BadDeviceToken"), .status(400, reason: "BadDeviceToken"))
            }
            let stopped = try await fixture.push("send", "--edition", "daily-7")
            #expect(stopped.status == 78)
            #expect(stopped.errors.contains("APNs knows none of the first 50 tokens"))
            #expect(stopped.errors.contains("--edition daily-7 --remove-unknown` removes them"))
            #expect(try await fixture.push("tokens").lines.first == "\(Self.app) production: 130")
            let gone = try await fixture.push("send", "--edition", "daily-7", "--remove-unknown")
            #expect(gone.status == 0, "\(gone.errors)")
            #expect(gone.output.contains("10 sent, 0 failed, 120 gone"))
            #expect(try await fixture.push("tokens").lines.first == "\(Self.app) production: 10")
        }
    }

    @Test("The server starts a campaign when an edition is published")
    func published() async throws {
        try await with(12) { fixture in
            let file = fixture.folder.appending(path: "gatefold.yaml")
            let adminPort = try FreePort.find()
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing("server: {", with: "server: {admin_listen: \"127.0.0.1:\(adminPort)\", ")
                .replacing(
                    "push:",
                    with: "catalogue: [{id: daily-6, published: 2026-01-01}]\n    push:\n      on_publish: true")
            try Data(text.utf8).write(to: file)
            let port = try #require(text.firstMatch(of: /[ ]listen: "127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
            let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: fixture.folder, until: .port(port))
            fixture.fake.response(fixture.tokens[0], .status(410, reason: "Unregistered"))
            fixture.fake.response(fixture.tokens[1], .status(500))
            try await withServer(launch) { server in
                let memory = fixture.folder.appending(path: "catalogues")
                let isCached = try await eventually {
                    (try? FileManager.default.contentsOfDirectory(atPath: memory.path))?.isEmpty == false
                }
                #expect(isCached, "\(server.output)")
                let more = "[{id: daily-7, published: 2026-02-01}, {id: daily-8, published: 2026-02-02}, {id: daily-6,"
                try Data(text.replacing("[{id: daily-6,", with: more).utf8).write(to: file)
                #expect(try await eventually { server.catches(SIGHUP) })
                kill(server.identifier, SIGHUP)
                #expect(
                    try await eventually { server.output.contains("Push campaign finished") }, "\(server.output)")
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
            var expected = Dictionary(uniqueKeysWithValues: fixture.tokens.map { ($0, 1) })
            expected[fixture.tokens[1]] = 2
            #expect(fixture.fake.counts == expected)
            #expect(fixture.fake.requests.allSatisfy { $0.body.contains("daily-8") }, "the newest of both")
            let again = try await fixture.push("send", "--edition", "daily-8")
            #expect(again.output.contains("11 sent, 0 failed, 1 gone; started "))
        }
    }

    @Test("The server resumes a rejected campaign after a reload")
    func reloaded() async throws {
        try await with(3) { fixture in
            let file = fixture.folder.appending(path: "gatefold.yaml")
            let text = try String(contentsOf: file, encoding: .utf8)
                .replacing("push:", with: "push:\n      on_publish: true")
            try Data(text.utf8).write(to: file)
            let port = try #require(text.firstMatch(of: /[ ]?listen: "127.0.0.1:([0-9]+)/).flatMap { Int($0.1) })
            for token in fixture.tokens {
                fixture.fake.response(token, .status(403, reason: "InvalidProviderToken"))
            }
            #expect(try await fixture.push("send", "--edition", "daily-7").status == 78)
            for token in fixture.tokens {
                fixture.fake.response(token, .status(403, reason: "InvalidProviderToken"))
            }
            let launch = ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: fixture.folder, until: .port(port))
            try await withServer(launch) { server async throws in
                #expect(
                    try await eventually { server.output.contains("Push campaign stopped") }, "\(server.output)")
                for token in fixture.tokens { fixture.fake.response(token) }
                #expect(try await eventually { server.catches(SIGHUP) })
                server.send(SIGHUP)
                #expect(
                    try await eventually { server.output.contains("Push campaign finished") }, "\(server.output)")
            }
        }
    }

    @Test("`send` shows a progress bar on a terminal")
    func bar() async throws {
        try await with(20) { fixture in
            let run = try await CommandRun.of(
                "script", ["-qec", "\(GatefoldProgram.path) push send --name hello", "/dev/null"], in: fixture.folder)
            #expect(run.status == 0, "\(run.output)")
            #expect(run.output.contains("████████████████████████████████████████ 100 %  20 of 20: 20 sent"))
            #expect(run.output.contains("hello: 20 sent, 0 failed, 0 gone"))
        }
    }

    @Test("`send` reports errors with a message and a status")
    func errors() async throws {
        try await with(2) { fixture in
            for token in fixture.tokens {
                fixture.fake.response(token, .status(403, reason: "InvalidProviderToken"))
            }
            let rejected = try await fixture.push("send", "--edition", "daily-7")
            #expect(rejected.status == 78)
            #expect(rejected.errors.contains("APNs rejects the notifications (403 InvalidProviderToken)"))
            #expect(try await fixture.push("send", "--app", "com.example.other").status == 64)
            #expect(try await fixture.push("send", "--edition", "a:b").status == 64)
            #expect(try await fixture.push("send", "--payload", "p.json").status == 64)
            #expect(try await fixture.push("send", "--name", "n", "--payload", "p.json").status == 66)
            try Data("[]".utf8).write(to: fixture.folder.appending(path: "p.json"))
            #expect(try await fixture.push("send", "--name", "n", "--payload", "p.json").status == 65)
            try Data(#"{"aps":{"alert":"Hello"}}"#.utf8).write(to: fixture.folder.appending(path: "p.json"))
            #expect(try await fixture.push("send", "--name", "n", "--payload", "p.json").status == 0)
            #expect(fixture.fake.requests.last?.field("apns-push-type") == "alert")
        }
    }
}
