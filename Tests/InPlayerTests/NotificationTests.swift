import Foundation
import InPlayer
import NIOSSL
import TestSupport
import Testing

/// Checks InPlayer notifications protocol, “MQTT connection”, with a real broker.
@Suite("Notifications")
struct NotificationTests {
    private static let uuid = "c720d397-3398-4b6d-9998-b925154b4b30"

    /// Returns a service that knows an account and issues keys for a broker.
    private func transport(_ mosquitto: Mosquitto, keys: Locked<Int> = Locked(0)) -> ScriptedTransport {
        ScriptedTransport { request in
            switch request.url {
            case "https://notifications.inplayer.com/iot/keys":
                guard request.bearer == "access-1" else { return Shapes.error(401) }
                keys.withLock { $0 += 1 }
                return .json(
                    """
                    {"accessKey":"AKID","secretKey":"secret","sessionToken":"token+/","region":"eu-west-1",
                     "iotEndpoint":"localhost:\(mosquitto.secureWebSocketPort)"}
                    """)
            case "https://services.inplayer.com/accounts": return .json(Shapes.account)
            default: return Shapes.error(404)
            }
        }
    }

    private func settings(_ mosquitto: Mosquitto) -> NotificationSettings {
        var settings = NotificationSettings()
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(mosquitto.authority)
        settings.tls = tls
        settings.minPause = 0.01
        settings.maxPause = 0.1
        return settings
    }

    /// Publishes repeatedly until a subscriber receives it, because the broker drops messages without one.
    private func publish(_ text: String, _ mosquitto: Mosquitto, until isThere: @Sendable () -> Bool) async throws {
        while !isThere() {
            try await mosquitto.publish(text, to: Self.uuid)
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func collect(
        _ client: InPlayerClient, _ settings: NotificationSettings, into received: Locked<[InPlayerNotification]>
    ) -> Task<Void, any Error> {
        Task {
            for try await notification in client.notifications(settings) {
                received.withLock { $0.append(notification) }
            }
        }
    }

    @Test("arrive from the keys' broker under the account's topic, each with its type")
    func received() async throws {
        try await Mosquitto.with { mosquitto, _ in
            let received = Locked<[InPlayerNotification]>([])
            let client = client(transport(mosquitto), sleep: { try await Task.sleep(for: .seconds($0)) })
            let task = collect(client, settings(mosquitto), into: received)
            try await publish(#"{"type":"hello","timestamp":1}"#, mosquitto) { received.withLock { !$0.isEmpty } }
            let texts = [
                #"{"type":"access.granted","timestamp":1546613927,"resource":\#(Shapes.access)}"#,
                #"{"type":"access.granted","timestamp":"x","resource":{"item":{"id":3,"metadata":{"a":"b"}}}}"#,
                "no notification", #"{"timestamp":3}"#,
                #"{"type":"access.revoked","timestamp":1,"resource":{"item_id":41224}}"#,
                #"{"type":"external.payment.success","timestamp":1,"resource":{"item_id":3,"amount":"3.00"}}"#,
                #"{"type":"subscribe.failed","timestamp":1,"resource":{"code":422,"explain":{"422":"declined"}}}"#,
                #"{"type":"account.logout","timestamp":1}"#, #"{"type":"access.revoked","timestamp":1}"#,
            ]
            for text in texts { try await mosquitto.publish(text, to: Self.uuid) }
            while received.withLock({ $0.last?.type != "access.revoked" || $0.last?.event != .other }) {
                try await Task.sleep(for: .milliseconds(10))
            }
            task.cancel()
            let events = received.withLock { $0.filter { $0.type != "hello" } }
            #expect(
                events.map(\.type) == [
                    "access.granted", "access.granted", "access.revoked", "external.payment.success",
                    "subscribe.failed", "account.logout", "access.revoked",
                ])
            guard case .accessGranted(let access) = events.first?.event else {
                Issue.record("\(events)")
                return
            }
            #expect(access.item?.id == 43_929)
            #expect(events[0].timestamp == Date(timeIntervalSince1970: 1_546_613_927))
            #expect(events[2].event == .accessRevoked(item: 41_224))
            guard case .paymentSucceeded(let paid) = events[3].event, case .paymentFailed(let failed) = events[4].event
            else {
                Issue.record("\(events)")
                return
            }
            #expect(paid.amount == 3)
            #expect(failed.explain == "declined")
            #expect(events[5].event == .signedOut)
        }
    }

    @Test("resume when the broker returns")
    func reconnected() async throws {
        try await Mosquitto.with { mosquitto, server in
            let received = Locked<[InPlayerNotification]>([])
            let keys = Locked(0)
            let client = client(transport(mosquitto, keys: keys), sleep: { try await Task.sleep(for: .seconds($0)) })
            let task = collect(client, settings(mosquitto), into: received)
            try await publish(#"{"type":"first"}"#, mosquitto) { received.withLock { !$0.isEmpty } }
            await server.stop(SIGKILL)
            try await server.start()
            try await publish(#"{"type":"second"}"#, mosquitto) { received.withLock { $0.last?.type == "second" } }
            task.cancel()
            #expect(keys.withLock(\.self) >= 2)
        }
    }

    @Test("pause before each reconnection, however long the connection had lasted")
    func notAtOnce() async throws {
        try await Mosquitto.with { mosquitto, server in
            let steps = Locked<[String]>([])
            let timestamp = Locked(Shapes.now)
            let service = transport(mosquitto)
            let requesting = ScriptedTransport { request in
                if request.url.hasSuffix("/iot/keys") { steps.withLock { $0.append("keys") } }
                return try await service.send(request)
            }
            let received = Locked<[InPlayerNotification]>([])
            let client = client(
                requesting, now: { timestamp.withLock(\.self) },
                sleep: { seconds in
                    if seconds < 1 { steps.withLock { $0.append("pause") } }
                    try await Task.sleep(for: .seconds(seconds))
                })
            let task = collect(client, settings(mosquitto), into: received)
            try await publish(#"{"type":"first"}"#, mosquitto) { received.withLock { !$0.isEmpty } }
            timestamp.withLock { $0 += 1000 }
            await server.stop(SIGKILL)
            try await server.start()
            try await publish(#"{"type":"second"}"#, mosquitto) { received.withLock { $0.last?.type == "second" } }
            task.cancel()
            #expect(steps.withLock { $0.prefix(3) } == ["keys", "pause", "keys"])
        }
    }

    @Test("renew their keys before these expire")
    func renewed() async throws {
        try await Mosquitto.with { mosquitto, _ in
            let received = Locked<[InPlayerNotification]>([])
            let keys = Locked(0)
            let time = ManualTime()
            let sleeps = Locked<[Double]>([])
            let client = client(
                transport(mosquitto, keys: keys),
                sleep: { seconds in
                    sleeps.withLock { $0.append(seconds) }
                    try await time.sleep(seconds)
                })
            let task = collect(client, settings(mosquitto), into: received)
            try await publish(#"{"type":"first"}"#, mosquitto) { received.withLock { !$0.isEmpty } }
            #expect(keys.withLock(\.self) == 1)
            #expect(sleeps.withLock(\.self) == [3300])
            time.advance(by: 3299)
            #expect(keys.withLock(\.self) == 1)
            time.advance(by: 1)
            // A pause is at most as long as after a first failure.
            while keys.withLock(\.self) < 2 {
                time.advance(by: 0.2)
                await Task.yield()
            }
            try await publish(#"{"type":"second"}"#, mosquitto) { received.withLock { $0.last?.type == "second" } }
            task.cancel()
        }
    }

    @Test("end with an error if no session exists or the session has ended")
    func ended() async throws {
        for (isSignedIn, status) in [(false, 200), (true, 401)] {
            let transport = ScriptedTransport { _ in Shapes.error(status) }
            let client = client(transport, signedIn: isSignedIn)
            await #expect(throws: InPlayerError.self) {
                for try await _ in client.notifications() {}
            }
        }
    }

    @Test("disconnect from the broker when iteration ends")
    func left() async throws {
        try await Mosquitto.with { mosquitto, server in
            let client = client(transport(mosquitto), sleep: { try await Task.sleep(for: .seconds($0)) })
            let listening = Task { [settings = settings(mosquitto)] in
                for try await _ in client.notifications(settings) { break }
            }
            let done = Locked(false)
            let publishing = Task {
                try await publish(#"{"type":"only"}"#, mosquitto) { done.withLock(\.self) }
            }
            try await listening.value
            done.withLock { $0 = true }
            try await publishing.value
            while await server.output.contains("Client \(Self.uuid)") == false {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
