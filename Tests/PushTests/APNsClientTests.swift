import Foundation
import Gatefold
import PushFixtures
import Synchronization
import TestSupport
import Testing

@testable import Push

@Suite("APNs client", .timeLimit(.minutes(10))) struct APNsClientTests {
    private let device = PushToken.numbered(7)
    private let hex = String(repeating: "a5", count: 28) + "00000007"

    private func notification(_ payload: PushPayload = PushPayload()) -> APNsNotification {
        APNsNotification(
            topic: PushFixture.app, payload: payload, expiration: Date(timeIntervalSince1970: 1_793_620_800),
            collapseID: "com.example.daily.2026-11")
    }

    @Test("Sends the headers that APNs requires and authenticates with a provider token")
    func headers() async throws {
        try await PushFixture.with { fixture in
            let clock = ManualClock()
            let outcome = try await fixture.client(clock: clock.wall).send(notification(), to: device)
            #expect(outcome == .sent)
            let request = try #require(fixture.fake.requests.first)
            #expect((request.method, request.path) == ("POST", "/3/device/\(hex)"))
            #expect(request.body == #"{"aps":{"content-available":1}}"#)
            var fields = request.fields
            let proof = try ProviderTokenProof(fields.removeValue(forKey: "authorization")?.first, key: fixture.key)
            #expect(proof.header == ["alg": "ES256", "kid": PushFixture.keyID, "typ": "JWT"])
            #expect(proof.claims == ["iss": PushFixture.team, "iat": "\(Int(clock.now.timeIntervalSince1970))"])
            let id = try #require(fields.removeValue(forKey: "apns-id")?.first)
            #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
            #expect(
                fields == [
                    "apns-topic": [PushFixture.app], "apns-push-type": ["background"], "apns-priority": ["5"],
                    "apns-expiration": ["1793620800"], "apns-collapse-id": ["com.example.daily.2026-11"],
                    "content-type": ["application/json"], "content-length": ["31"], "user-agent": ["Gatefold"],
                ])

            _ = try await fixture.client().send(
                APNsNotification(
                    topic: PushFixture.app, payload: try PushPayload(json: Array(#"{"aps":{"alert":"Hello"}}"#.utf8))),
                to: device)
            let shown = try #require(fixture.fake.requests.last)
            #expect(shown.field("apns-push-type") == "alert")
            #expect(shown.field("apns-priority") == "10")
            #expect(shown.field("apns-expiration") == "0")
            #expect(shown.field("apns-collapse-id") == nil)
        }
    }

    @Test("Authenticates with a client certificate if the app has one")
    func certificate() async throws {
        try await PushFixture.with(certificate: true) { fixture in
            let issued = try await fixture.authority.issue("provider", names: "DNS:provider")
            let settings = try fixture.settings(
                app: "{certificate: {file: \(issued.certificate)}, key: {file: \(issued.key)}}")
            #expect(try await fixture.client(settings).send(notification(), to: device) == .sent)
            #expect(fixture.fake.requests.first?.field("authorization") == nil)

            await #expect(throws: (any Error).self) { try await fixture.client().send(notification(), to: device) }
            #expect(fixture.fake.requests.count == 1, "no connection without a notification")
        }
    }

    @Test("Multiplexes all notifications over one connection")
    func multiplexing() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client()
            fixture.fake.gather(80)
            try await withThrowingTaskGroup(of: PushOutcome.self) { group in
                for number in 1...80 {
                    group.addTask { try await client.send(notification(), to: PushToken.numbered(number)) }
                }
                for try await outcome in group { #expect(outcome == .sent) }
            }
            for _ in 0..<5 { _ = try await client.send(notification(), to: device) }
            #expect(fixture.fake.maxInFlight == 80)
            #expect(fixture.fake.connections == 1)
            #expect(Set(fixture.fake.requests.map { $0.field("authorization") }).count == 1)
            #expect(Set(fixture.fake.requests.map { $0.field("apns-id") }).count == 85)
        }
    }

    @Test("Reports the outcome for a token")
    func outcomes() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client()
            func outcome(_ responses: FakeAPNs.StubResponse...) async throws -> PushOutcome {
                for response in responses { fixture.fake.response(hex, response) }
                return try await client.send(notification(), to: device)
            }
            #expect(
                try await outcome(.status(410, reason: "Unregistered", timestamp: 1_793_534_400_000))
                    == .gone(since: Date(timeIntervalSince1970: 1_793_534_400)))
            #expect(try await outcome(.status(400, reason: "BadDeviceToken")) == .badToken)
            #expect(try await outcome(.status(400, reason: "DeviceTokenNotForTopic")) == .notForTopic)
        }
    }

    @Test("Retries after a connection that breaks during a response")
    func cut() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client(sleep: { _ in })
            fixture.fake.response(hex, .cut)
            #expect(try await client.send(notification(), to: device) == .sent)
            #expect(fixture.fake.requests.count >= 2)
        }
    }

    @Test("Retries temporary failures with backoff and the same identifier")
    func retries() async throws {
        try await PushFixture.with { fixture in
            let waits = Locked<[TimeInterval]>([])
            let retried = Locked(0)
            let client = try fixture.client(
                sleep: { wait in waits.withLock { $0.append(wait) } }, didRetry: { retried.withLock { $0 += 1 } })
            fixture.fake.response(
                hex, .status(429, reason: "TooManyRequests", retryAfter: 40), .status(500), .status(502), .status(503))
            #expect(try await client.send(notification(), to: device) == .sent)
            #expect(fixture.fake.requests.count == 5)
            #expect(Set(fixture.fake.requests.map { $0.field("apns-id") }).count == 1)
            let waited = waits.withLock { $0 }
            #expect(waited.count == 4)
            #expect(retried.withLock { $0 } == 4)
            #expect(waited.first == 40, "as APNs requested")
            #expect(zip(waited.dropFirst(), [2.0, 4, 8]).allSatisfy { ($1...($1 * 1.5)).contains($0) }, "\(waited)")

            fixture.fake.response(
                hex, .status(500), .status(500), .status(500), .status(500), .status(500))
            #expect(
                try await client.send(notification(), to: device)
                    == .notAccepted(APNsReason(status: 500, text: nil)))
            fixture.fake.response(
                hex, .status(429), .status(429), .status(429), .status(429), .status(429))
            #expect(
                try await client.send(notification(), to: device) == .notAccepted(APNsReason(status: 429, text: nil)))
        }
    }

    @Test("Replaces a connection after GOAWAY without losing a notification")
    func goAway() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client()
            fixture.fake.response(hex, .goAway)
            for number in 1...20 {
                #expect(try await client.send(notification(), to: PushToken.numbered(number)) == .sent)
            }
            #expect(fixture.fake.requests.count == 20)
            #expect(fixture.fake.connections == 2)
        }
    }

    @Test("Closes a stalled connection and retries its notifications")
    func stalled() async throws {
        try await PushFixture.with { fixture in
            let latch = ManualLatch()
            defer { latch.open() }
            fixture.fake.response(hex, .wait(latch))
            let client = try fixture.client(fixture.settings("timeout: 5s"))
            #expect(try await client.send(notification(), to: device) == .sent)
            // On a busy machine a working connection may seem to stall as well.
            #expect(fixture.fake.requests.count >= 2)
            #expect(fixture.fake.connections >= 2)
        }
    }

    @Test("Renews a provider token once that APNs reports as expired")
    func expired() async throws {
        try await PushFixture.with { fixture in
            let clock = ManualClock()
            let client = try fixture.client(clock: clock.wall)
            _ = try await client.send(notification(), to: device)
            fixture.fake.response(hex, .status(403, reason: "ExpiredProviderToken"))
            clock.advance(by: 600)
            #expect(try await client.send(notification(), to: device) == .sent)
            let tokens = fixture.fake.requests.map { $0.field("authorization") }
            #expect(tokens.count == 3)
            #expect(tokens[0] == tokens[1])
            #expect(tokens[1] != tokens[2])

            fixture.fake.response(hex, .status(403, reason: "ExpiredProviderToken"))
            await #expect(throws: PushCampaignError.clock) { try await client.send(notification(), to: device) }
        }
    }

    @Test("Stops the campaign if APNs would reject every notification")
    func rejected() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client()
            for (status, reason) in [(403, "InvalidProviderToken"), (400, "BadTopic"), (413, "PayloadTooLarge")] {
                fixture.fake.response(hex, .status(status, reason: reason))
                await #expect(throws: PushCampaignError.rejected(APNsReason(status: status, text: reason))) {
                    try await client.send(notification(), to: device)
                }
            }
        }
    }

    @Test("Rejects an untrusted server and reports an unreachable one")
    func unreachable() async throws {
        try await PushFixture.with { fixture in
            let other = try await TestAuthority("others", in: fixture.folder)
            let key = "{team: \(PushFixture.team), key_id: \(PushFixture.keyID), key: {file: key.p8}}"
            let untrusting = try PushFixture.settings(
                "production_url: \(fixture.fake.url)\nroot: {file: \(other.certificate)}\napps: {\(PushFixture.app): \(key)}",
                in: fixture.folder)
            await #expect(throws: PushCampaignError.untrusted) {
                try await fixture.client(untrusting).send(notification(), to: device)
            }
            let nobody = try PushFixture.settings(
                "production_url: https://localhost:\(try FreePort.find())\napps: {\(PushFixture.app): \(key)}",
                in: fixture.folder)
            await #expect(throws: PushCampaignError.unavailable("the service could not be reached")) {
                try await fixture.client(nobody).send(notification(), to: device)
            }
            #expect(fixture.fake.requests.isEmpty)
        }
    }

    @Test("Completes the pending request after a cancellation, so that no device gets a duplicate")
    func cancelled() async throws {
        try await PushFixture.with { fixture in
            let client = try fixture.client()
            let latch = ManualLatch()
            fixture.fake.response(hex, .wait(latch))
            let sending = Task { try await client.send(notification(), to: device) }
            await until { latch.waiting == 1 }
            sending.cancel()
            latch.open()
            #expect(try await sending.value == .sent)
        }
    }
}
