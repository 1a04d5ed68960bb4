import Foundation
import Gatefold
import PushBenches
import Synchronization
import TestSupport
import Testing

@testable import Push

@Suite("Sending to APNs", .timeLimit(.minutes(10))) struct APNsClientTests {
    private let device = PushToken.numbered(7)
    private let hex = String(repeating: "a5", count: 28) + "00000007"

    private func notification(_ payload: PushPayload = PushPayload()) -> APNsNotification {
        APNsNotification(
            topic: PushBench.app, payload: payload, expiration: Date(timeIntervalSince1970: 1_793_620_800),
            collapseID: "com.example.daily.2026-11")
    }

    @Test("says in each header what APNs asks for, and vouches with a provider token")
    func headers() async throws {
        try await PushBench.with { bench in
            let clock = ManualClock()
            let outcome = try await bench.client(clock: clock.wall).send(notification(), to: device)
            #expect(outcome == .sent)
            let request = try #require(bench.standIn.requests.first)
            #expect((request.method, request.path) == ("POST", "/3/device/\(hex)"))
            #expect(request.body == #"{"aps":{"content-available":1}}"#)
            var fields = request.fields
            let proof = try ProviderTokenProof(fields.removeValue(forKey: "authorization")?.first, key: bench.key)
            #expect(proof.header == ["alg": "ES256", "kid": PushBench.keyID, "typ": "JWT"])
            #expect(proof.claims == ["iss": PushBench.team, "iat": "\(Int(clock.now.timeIntervalSince1970))"])
            let id = try #require(fields.removeValue(forKey: "apns-id")?.first)
            #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
            #expect(
                fields == [
                    "apns-topic": [PushBench.app], "apns-push-type": ["background"], "apns-priority": ["5"],
                    "apns-expiration": ["1793620800"], "apns-collapse-id": ["com.example.daily.2026-11"],
                    "content-type": ["application/json"], "content-length": ["31"], "user-agent": ["Gatefold"],
                ])

            _ = try await bench.client().send(
                APNsNotification(
                    topic: PushBench.app, payload: try PushPayload(json: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))),
                to: device)
            let shown = try #require(bench.standIn.requests.last)
            #expect(shown.field("apns-push-type") == "alert")
            #expect(shown.field("apns-priority") == "10")
            #expect(shown.field("apns-expiration") == "0")
            #expect(shown.field("apns-collapse-id") == nil)
        }
    }

    @Test("shows a client certificate instead, where the app has one")
    func certificate() async throws {
        try await PushBench.with(certificate: true) { bench in
            let issued = try await bench.authority.issue("provider", names: "DNS:provider")
            let settings = try bench.settings(
                app: "{certificate: {file: \(issued.certificate)}, key: {file: \(issued.key)}}")
            #expect(try await bench.client(settings).send(notification(), to: device) == .sent)
            #expect(bench.standIn.requests.first?.field("authorization") == nil)

            await #expect(throws: (any Error).self) { try await bench.client().send(notification(), to: device) }
            #expect(bench.standIn.requests.count == 1, "without one there is no connection")
        }
    }

    @Test("has all notifications on one connection, at once")
    func multiplexing() async throws {
        try await PushBench.with { bench in
            let client = try bench.client()
            bench.standIn.gather(80)
            try await withThrowingTaskGroup(of: PushOutcome.self) { group in
                for number in 1...80 {
                    group.addTask { try await client.send(notification(), to: PushToken.numbered(number)) }
                }
                for try await outcome in group { #expect(outcome == .sent) }
            }
            for _ in 0..<5 { _ = try await client.send(notification(), to: device) }
            #expect(bench.standIn.mostUnderWay == 80)
            #expect(bench.standIn.connections == 1)
            #expect(Set(bench.standIn.requests.map { $0.field("authorization") }).count == 1)
            #expect(Set(bench.standIn.requests.map { $0.field("apns-id") }).count == 85)
        }
    }

    @Test("tells what became of a token")
    func outcomes() async throws {
        try await PushBench.with { bench in
            let client = try bench.client()
            func outcome(_ answers: APNsStandIn.Answer...) async throws -> PushOutcome {
                for answer in answers { bench.standIn.answer(hex, answer) }
                return try await client.send(notification(), to: device)
            }
            #expect(
                try await outcome(.status(410, reason: "Unregistered", timestamp: 1_793_534_400_000))
                    == .gone(since: Date(timeIntervalSince1970: 1_793_534_400)))
            #expect(try await outcome(.status(400, reason: "BadDeviceToken")) == .badToken)
            #expect(try await outcome(.status(400, reason: "DeviceTokenNotForTopic")) == .notForTopic)
        }
    }

    @Test("outlasts a connection that is cut in the middle of an answer")
    func cut() async throws {
        try await PushBench.with { bench in
            let client = try bench.client(sleep: { _ in })
            bench.standIn.answer(hex, .cut)
            #expect(try await client.send(notification(), to: device) == .sent)
            #expect(bench.standIn.requests.count >= 2)
        }
    }

    @Test("tries again after a while where that may help, with the same identifier")
    func retries() async throws {
        try await PushBench.with { bench in
            let waits = Kept<[TimeInterval]>([])
            let retried = Kept(0)
            let client = try bench.client(
                sleep: { wait in waits.withLock { $0.append(wait) } }, didRetry: { retried.withLock { $0 += 1 } })
            bench.standIn.answer(
                hex, .status(429, reason: "TooManyRequests", retryAfter: 40), .status(500), .status(502), .status(503))
            #expect(try await client.send(notification(), to: device) == .sent)
            #expect(bench.standIn.requests.count == 5)
            #expect(Set(bench.standIn.requests.map { $0.field("apns-id") }).count == 1)
            let waited = waits.withLock { $0 }
            #expect(waited.count == 4)
            #expect(retried.withLock { $0 } == 4)
            #expect(waited.first == 40, "as APNs asked")
            #expect(zip(waited.dropFirst(), [2.0, 4, 8]).allSatisfy { ($1...($1 * 1.5)).contains($0) }, "\(waited)")

            bench.standIn.answer(
                hex, .status(500), .status(500), .status(500), .status(500), .status(500))
            #expect(
                try await client.send(notification(), to: device)
                    == .notTaken(APNsReason(status: 500, text: nil)))
            bench.standIn.answer(
                hex, .status(429), .status(429), .status(429), .status(429), .status(429))
            #expect(try await client.send(notification(), to: device) == .notTaken(APNsReason(status: 429, text: nil)))
        }
    }

    @Test("leaves a connection when it is told to, and loses nothing")
    func goAway() async throws {
        try await PushBench.with { bench in
            let client = try bench.client()
            bench.standIn.answer(hex, .goAway)
            for number in 1...20 {
                #expect(try await client.send(notification(), to: PushToken.numbered(number)) == .sent)
            }
            #expect(bench.standIn.requests.count == 20)
            #expect(bench.standIn.connections == 2)
        }
    }

    @Test("gives up a connection that stands still, for everybody on it")
    func standingStill() async throws {
        try await PushBench.with { bench in
            let door = Door()
            defer { door.open() }
            bench.standIn.answer(hex, .wait(door))
            let client = try bench.client(bench.settings("timeout: 5s"))
            #expect(try await client.send(notification(), to: device) == .sent)
            // On a busy machine a good connection may seem to stand still, too.
            #expect(bench.standIn.requests.count >= 2)
            #expect(bench.standIn.connections >= 2)
        }
    }

    @Test("has a provider token renewed once that APNs has for expired")
    func expired() async throws {
        try await PushBench.with { bench in
            let clock = ManualClock()
            let client = try bench.client(clock: clock.wall)
            _ = try await client.send(notification(), to: device)
            bench.standIn.answer(hex, .status(403, reason: "ExpiredProviderToken"))
            clock.advance(by: 600)
            #expect(try await client.send(notification(), to: device) == .sent)
            let tokens = bench.standIn.requests.map { $0.field("authorization") }
            #expect(tokens.count == 3)
            #expect(tokens[0] == tokens[1])
            #expect(tokens[1] != tokens[2])

            bench.standIn.answer(hex, .status(403, reason: "ExpiredProviderToken"))
            await #expect(throws: PushStop.clock) { try await client.send(notification(), to: device) }
        }
    }

    @Test("stops where every other notification would be refused, too")
    func refused() async throws {
        try await PushBench.with { bench in
            let client = try bench.client()
            for (status, reason) in [(403, "InvalidProviderToken"), (400, "BadTopic"), (413, "PayloadTooLarge")] {
                bench.standIn.answer(hex, .status(status, reason: reason))
                await #expect(throws: PushStop.refused(APNsReason(status: status, text: reason))) {
                    try await client.send(notification(), to: device)
                }
            }
        }
    }

    @Test("trusts no other server, and says when nobody is there")
    func unreachable() async throws {
        try await PushBench.with { bench in
            let other = try await TestAuthority("others", in: bench.folder)
            let key = "{team: \(PushBench.team), key_id: \(PushBench.keyID), key: {file: key.p8}}"
            let untrusting = try PushBench.settings(
                "production_url: \(bench.standIn.url)\nroot: {file: \(other.certificate)}\napps: {\(PushBench.app): \(key)}",
                in: bench.folder)
            await #expect(throws: PushStop.untrusted) {
                try await bench.client(untrusting).send(notification(), to: device)
            }
            let nobody = try PushBench.settings(
                "production_url: https://localhost:\(try FreePort.find())\napps: {\(PushBench.app): \(key)}",
                in: bench.folder)
            await #expect(throws: PushStop.unavailable("the service could not be reached")) {
                try await bench.client(nobody).send(notification(), to: device)
            }
            #expect(bench.standIn.requests.isEmpty)
        }
    }

    @Test("finishes the request under way when it is cancelled, so that nobody is told twice")
    func cancelled() async throws {
        try await PushBench.with { bench in
            let client = try bench.client()
            let door = Door()
            bench.standIn.answer(hex, .wait(door))
            let sending = Task { try await client.send(notification(), to: device) }
            await until { door.waiting == 1 }
            sending.cancel()
            door.open()
            #expect(try await sending.value == .sent)
        }
    }
}
