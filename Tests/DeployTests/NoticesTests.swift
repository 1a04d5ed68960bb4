import Foundation
import FrontDoors
import Gatefold
import MQTT
import TestSupport
import Testing

@testable import InPlayer

/// The real broker behind the real nginx, each with its configuration of `deploy/fronts`, and the client library in front.
@Suite("Notices for apps, behind the check")
struct NoticesTests {
    private static let uuid = "c720d397-3398-4b6d-9998-b925154b4b30"
    private static let other = "0b1f3f0a-1111-4222-8333-444455556666"

    @Test("come to those with good keys, each account's to its own apps", .timeLimit(.minutes(10)))
    func heard() async throws {
        try await withNotices { site in
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

    @Test("come to nobody without good keys, and an app neither hears others nor publishes", .timeLimit(.minutes(10)))
    func refused() async throws {
        try await withNotices { site in
            let good = try site.target(of: Self.uuid)
            let stale = try site.target(of: Self.uuid, at: Date().addingTimeInterval(-4000))
            for target in [
                "/mqtt", "/mqtt?a=b", stale, good.replacing("X-Amz-Signature=", with: "X-Amz-Signature=0"), good + "&",
            ] {
                let answer = try await site.http.send(
                    "GET", target,
                    [
                        ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="), ("Sec-WebSocket-Protocol", "mqtt"),
                        ("X-Original-URI", good),
                    ])
                #expect(answer.status == 403, "\(target)")
                #expect(answer["WWW-Authenticate"] == nil)
            }
            #expect(try await site.http.send("GET", "/elsewhere", []).status == 404)

            // Keys let an app in; the broker has it hear the topic of its own name, and nothing else.
            let broker = MQTTBroker(host: "127.0.0.1", port: site.port, tls: nil, webSocketTarget: good)
            let heard = Kept<[String]>([])
            let begun = Door()
            let listening = Task {
                try await broker.subscribe(
                    to: "#", as: MQTTConnect(clientID: Self.uuid, keepAlive: 30), begin: { begun.open() }
                ) { message in heard.withLock { $0.append("\(message.topic) \(message.payload)") } }
            }
            await begun.pass()
            // One that publishes as an app does not get it out.
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

    @Test("are nobody's while Gatefold can not be asked", .timeLimit(.minutes(10)))
    func outage() async throws {
        try await withNotices(gatePort: try FreePort.find()) { site in
            let answer = try await site.http.send("GET", try site.target(of: Self.uuid), [])
            #expect(answer.status == 503)
        }
    }
}

/// A session that nobody ended.
private func noticeHolder() throws -> SaltHolder {
    SaltHolder(
        subscriber: try #require(SubscriberReference(bytes: [1, 2, 3, 4, 5, 6, 7])),
        session: try #require(SessionReference("01020304")), issuedAt: Date())
}

/// Nginx and Mosquitto at work for apps.
private struct NoticeSite: Sendable {
    let plan: SitePlan
    /// Of nginx, where apps connect.
    let port: Int
    /// Of the broker, where Gatefold publishes.
    let publishingPort: Int

    var http: RawHTTP { RawHTTP(port: port) }

    private var keys: NoticeKeys? {
        PublicationID(GateUnderTest.publication).map {
            NoticeKeys(
                publication: $0, secrets: SecretRing(current: GateUnderTest.secret),
                revocations: RevocationList(publication: $0), endpoint: "127.0.0.1:\(port)", region: "eu-west-1",
                random: .system)
        }
    }

    /// What the client library asks nginx for.
    func target(of account: String, at moment: Date = Date()) throws -> String {
        let answer = try #require(keys?.make(for: account, holder: try noticeHolder(), at: moment))
        let keys = NotificationKeys(
            keys: AWSKeys(
                accessKey: answer.accessKey, secretKey: answer.secretKey, sessionToken: answer.sessionToken),
            region: answer.region, broker: "ws://\(answer.iotEndpoint)")
        return try #require(keys.broker(at: moment)?.webSocketTarget)
    }

    /// The client library's `notifications()`, and the types of those that come.
    func listen(as account: String) -> (heard: Kept<[String]>, task: Task<Void, any Error>) {
        let heard = Kept<[String]>([])
        let session = StoredSession(
            accessToken: "access", refreshToken: nil, expires: Date().addingTimeInterval(3600), account: nil)
        let client = InPlayerClient(
            merchant: InPlayerMerchant(uuid: "merchant"), storage: MemorySessionStorage(session),
            transport: KeyTransport(account: account, keys: keys))
        let task = Task<Void, any Error> {
            var settings = NotificationSettings()
            settings.shortestPause = 0.05
            settings.longestPause = 0.2
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

/// The two questions that the client library asks before it connects.
private struct KeyTransport: InPlayerTransport {
    let account: String
    let keys: NoticeKeys?

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.contains("iot/keys") else {
            return TransportResponse(status: 200, body: Array(#"{"id":1,"uuid":"\#(account)"}"#.utf8))
        }
        let answer = try #require(keys?.make(for: account, holder: try noticeHolder(), at: Date()))
        let text = """
            {"accessKey":"\(answer.accessKey)","secretKey":"\(answer.secretKey)","sessionToken":"\(answer.sessionToken)",
             "region":"\(answer.region)","iotEndpoint":"ws://\(answer.iotEndpoint)"}
            """
        return TransportResponse(status: 200, body: Array(text.utf8))
    }
}

/// Runs the body with nginx in front of Mosquitto and Gatefold.
///
/// - Parameter gatePort: where nginx asks, in place of a Gatefold that works.
private func withNotices(gatePort: Int? = nil, _ body: @escaping @Sendable (NoticeSite) async throws -> Void)
    async throws
{
    let port = try FreePort.find()
    guard let gatePort else {
        let settings = """
            notifications:
              broker: mqtt://127.0.0.1:1
              endpoint: "127.0.0.1:\(port)"

            """
        try await withGate(settings) { gate in try await withNotices(port, asking: gate.port, body) }
        return
    }
    try await withNotices(port, asking: gatePort, body)
}

private func withNotices(
    _ port: Int, asking gatePort: Int, _ body: @Sendable (NoticeSite) async throws -> Void
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
        // Started as root it would become another user, who can not read the test's files.
        let main = try plan.write(
            "user \(NSUserName())\n" + String(contentsOf: shipped, encoding: .utf8), to: "mosquitto.conf")
        let broker = ServerProcess.Launch(
            mosquitto.path, ["-c", main.path, "-v"], in: folder, until: .listening(appsPort))
        let front = try Front.nginx.notifications(plan)
        try await withServers([broker, front]) { _ in
            try await body(NoticeSite(plan: plan, port: port, publishingPort: publishingPort))
        }
    }
}
