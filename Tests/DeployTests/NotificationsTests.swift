import Foundation
import FrontDoors
import Gatefold
import MQTT
import Primitives
import TestSupport
import Testing

@testable import InPlayer

/// Tests with the real broker behind the real nginx, both with their configuration of `deploy/fronts`, and with the
/// client library.
@Suite("Notifications for apps through nginx and Mosquitto")
struct NotificationsTests {
    private static let uuid = "c720d397-3398-4b6d-9998-b925154b4b30"
    private static let other = "0b1f3f0a-1111-4222-8333-444455556666"

    @Test("Reach apps with valid keys, each account's apps only", .timeLimit(.minutes(10)))
    func heard() async throws {
        try await withNotifications { site in
            let ours = site.listen(as: Self.uuid)
            let theirs = site.listen(as: Self.other)
            let publisher = MQTTPublisher(
                MQTTBroker(host: "127.0.0.1", port: site.publishingPort, tls: nil),
                as: MQTTConnect(clientID: "gatefold", keepAlive: 30, userName: "gatefold", password: "s3cret"))
            let publishing = Task { await publisher.run() }
            while ours.heard.withLock(\.isEmpty) || theirs.heard.withLock(\.isEmpty) {
                publisher.publish(Array(#"{"type":"ours","timestamp":1}"#.utf8), to: Self.uuid)
                publisher.publish(Array(#"{"type":"theirs","timestamp":1}"#.utf8), to: Self.other)
                try await Task.sleep(for: .milliseconds(50))
            }
            publisher.close()
            await publishing.value
            ours.task.cancel()
            theirs.task.cancel()
            #expect(ours.heard.withLock(\.self).allSatisfy { $0 == "ours" })
            #expect(theirs.heard.withLock(\.self).allSatisfy { $0 == "theirs" })
            let logs = try site.logs()
            #expect(!logs.contains("X-Amz"))
        }
    }

    @Test("Need valid keys, and an app can neither read other topics nor publish", .timeLimit(.minutes(10)))
    func rejected() async throws {
        try await withNotifications { site in
            let good = try site.target(of: Self.uuid)
            let stale = try site.target(of: Self.uuid, at: Date().addingTimeInterval(-4000))
            for target in [
                "/mqtt", "/mqtt?a=b", stale, good.replacing("X-Amz-Signature=", with: "X-Amz-Signature=0"), good + "&",
            ] {
                let response = try await site.http.send(
                    "GET", target,
                    [
                        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="), ("Sec-WebSocket-Protocol", "mqtt"),
                        ("X-Original-URI", good),
                    ])
                #expect(response.status == 403, "\(target)")
                #expect(response["WWW-Authenticate"] == nil)
            }
            #expect(try await site.http.send("GET", "/elsewhere", []).status == 404)

            // Keys let an app in. The broker restricts it to the topic of its own name.
            let broker = MQTTBroker(host: "127.0.0.1", port: site.port, tls: nil, webSocketTarget: good)
            let heard = Locked<[String]>([])
            let begun = ManualLatch()
            let listening = Task {
                try await broker.subscribe(
                    to: "#", as: MQTTConnect(clientID: Self.uuid, keepAlive: 30), begin: { begun.open() }
                ) { message in heard.withLock { $0.append("\(message.topic) \(message.payload)") } }
            }
            await begun.pass()
            // An app's attempt to publish has no effect.
            let intruder = MQTTPublisher(
                MQTTBroker(
                    host: "127.0.0.1", port: site.port, tls: nil,
                    webSocketTarget: try site.target(of: Self.uuid)),
                as: MQTTConnect(clientID: "intruder", keepAlive: 30))
            intruder.publish([2], to: Self.uuid)
            intruder.close()
            await intruder.run()
            let publisher = MQTTPublisher(
                MQTTBroker(host: "127.0.0.1", port: site.publishingPort, tls: nil),
                as: MQTTConnect(clientID: "gatefold", keepAlive: 30, userName: "gatefold", password: "s3cret"))
            for topic in [Self.other, "x", "last/\(Self.uuid)", Self.uuid] { publisher.publish([1], to: topic) }
            publisher.close()
            await publisher.run()
            while heard.withLock(\.isEmpty) { try await Task.sleep(for: .milliseconds(10)) }
            listening.cancel()
            #expect(heard.withLock(\.self) == ["\(Self.uuid) [1]"])
        }
    }

    @Test("Are unavailable while Gatefold is down", .timeLimit(.minutes(10)))
    func outage() async throws {
        try await withNotifications(gatePort: try FreePort.find()) { site in
            let response = try await site.http.send("GET", try site.target(of: Self.uuid), [])
            #expect(response.status == 503)
        }
    }
}

/// Returns a session that is not revoked.
private func notificationSubject() throws -> SaltSubject {
    SaltSubject(
        subscriber: try #require(SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])),
        session: try #require(SessionPseudonym("01020304")), issuedAt: Date())
}

/// A running nginx and Mosquitto for apps.
private struct NotificationSite: Sendable {
    let plan: SitePlan
    /// The port of nginx for apps.
    let port: Int
    /// The port of the broker to which Gatefold publishes.
    let publishingPort: Int

    var http: RawHTTP { RawHTTP(port: port) }

    private var keys: NotificationKeyIssuer? {
        PublicationID(GateHarness.publication).map {
            NotificationKeyIssuer(
                publication: $0, secrets: SecretRing(current: GateHarness.secret),
                revocations: RevocationList(publication: $0), endpoint: "127.0.0.1:\(port)", region: "eu-west-1",
                random: .system)
        }
    }

    /// Returns the request target that the client library sends to nginx.
    func target(of account: String, at timestamp: Date = Date()) throws -> String {
        let response = try #require(keys?.make(for: account, subject: try notificationSubject(), at: timestamp))
        let keys = NotificationKeys(
            keys: AWSKeys(
                accessKey: response.accessKey, secretKey: response.secretKey, sessionToken: response.sessionToken),
            region: response.region, broker: "ws://\(response.iotEndpoint)")
        return try #require(keys.broker(at: timestamp)?.webSocketTarget)
    }

    /// Starts the client library's `notifications()` and records the received types.
    func listen(as account: String) -> (heard: Locked<[String]>, task: Task<Void, any Error>) {
        let heard = Locked<[String]>([])
        let session = StoredSession(
            accessToken: "access", refreshToken: nil, expires: Date().addingTimeInterval(3600), account: nil)
        let client = InPlayerClient(
            merchant: InPlayerMerchant(uuid: "merchant"), storage: InMemorySessionStorage(session),
            transport: KeyTransport(account: account, keys: keys))
        let task = Task<Void, any Error> {
            var settings = NotificationSettings()
            settings.minPause = 0.05
            settings.maxPause = 0.2
            for try await notification in client.notifications(settings) {
                heard.withLock { $0.append(notification.type) }
            }
        }
        return (heard, task)
    }

    func logs() throws -> String {
        try FileManager.default.contentsOfDirectory(at: plan.folder, includingPropertiesForKeys: nil)
            .filter { ["out", "log"].contains($0.pathExtension) }
            .map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined(separator: "\n")
    }
}

/// The two requests that the client library sends before it connects.
private struct KeyTransport: InPlayerTransport {
    let account: String
    let keys: NotificationKeyIssuer?

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.contains("iot/keys") else {
            return TransportResponse(status: 200, body: Array(#"{"id":1,"uuid":"\#(account)"}"#.utf8))
        }
        let response = try #require(keys?.make(for: account, subject: try notificationSubject(), at: Date()))
        let text = """
            {"accessKey":"\(response.accessKey)","secretKey":"\(response.secretKey)","sessionToken":"\(response.sessionToken)",
             "region":"\(response.region)","iotEndpoint":"ws://\(response.iotEndpoint)"}
            """
        return TransportResponse(status: 200, body: Array(text.utf8))
    }
}

/// Runs the body with nginx in front of Mosquitto and Gatefold.
///
/// - Parameter gatePort: The port that nginx queries instead of a working Gatefold.
private func withNotifications(
    gatePort: Int? = nil, _ body: @escaping @Sendable (NotificationSite) async throws -> Void
)
    async throws
{
    let port = try FreePort.find()
    guard let gatePort else {
        let settings = """
            notifications:
              broker: mqtt://127.0.0.1:1
              endpoint: "127.0.0.1:\(port)"

            """
        try await withGate(settings) { gate in try await withNotifications(port, requesting: gate.port, body) }
        return
    }
    try await withNotifications(port, requesting: gatePort, body)
}

private func withNotifications(
    _ port: Int, requesting gatePort: Int, _ body: @Sendable (NotificationSite) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        var plan = SitePlan(folder: folder, root: folder, port: port, gatePort: gatePort)
        let publishingPort = try FreePort.find()
        let appsPort = try FreePort.find()
        plan.more = ["BROKER": "127.0.0.1:\(appsPort)", "MQTT_PORT": "\(publishingPort)", "APPS_PORT": "\(appsPort)"]
        let mosquitto = try Installed("/usr/sbin/mosquitto", package: "mosquitto")
        let users = try plan.write("gatefold:s3cret\n", to: "gatefold.users")
        let run = try await CommandRun.of("mosquitto_passwd", ["-U", users.path], in: folder)
        #expect(run.status == 0, "\(run.errors)")
        for file in ["gatefold.acl", "apps.acl"] { _ = try plan.install("mosquitto/\(file)") }
        let shipped = try plan.install("mosquitto/gatefold.conf")
        // Mosquitto started as root would switch to another user, who cannot read the test's files.
        let main = try plan.write(
            "user \(NSUserName())\n" + String(contentsOf: shipped, encoding: .utf8), to: "mosquitto.conf")
        let broker = ServerProcess.Launch(
            mosquitto.path, ["-c", main.path, "-v"], in: folder, until: .listening(appsPort))
        let front = try Front.nginx.notifications(plan)
        try await withServers([broker, front]) { _ in
            try await body(NotificationSite(plan: plan, port: port, publishingPort: publishingPort))
        }
    }
}
