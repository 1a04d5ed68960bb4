import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import MQTT

@Suite("Subscriber at a real broker", .timeLimit(.minutes(10)))
struct BrokerTests {
    private let connect = MQTTConnect(clientID: "reader-1", keepAlive: 30)

    enum Way: CaseIterable, Sendable {
        case tcp, webSocket, secureWebSocket
    }

    private func broker(_ mosquitto: Mosquitto, _ way: Way) throws -> MQTTBroker {
        switch way {
        case .tcp: return MQTTBroker(host: "127.0.0.1", port: mosquitto.port, tls: nil)
        case .webSocket:
            return MQTTBroker(host: "127.0.0.1", port: mosquitto.webSocketPort, tls: nil, webSocketTarget: "/mqtt?a=b")
        case .secureWebSocket:
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(mosquitto.authority)
            return MQTTBroker(
                host: "localhost", port: mosquitto.secureWebSocketPort, tls: tls, webSocketTarget: "/mqtt")
        }
    }

    /// Returns the messages until the task is cancelled. The stream ends with the error of the subscription.
    private func messages(
        _ broker: MQTTBroker, _ connect: MQTTConnect, begun: ManualLatch = ManualLatch()
    ) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await broker.subscribe(to: "news/#", as: connect, begin: { begun.open() }) { message in
                        continuation.yield(String(decoding: message.payload, as: UTF8.self))
                    }
                } catch {
                    continuation.finish(throwing: error)
                    // Releases the tests that wait for a subscription that has failed.
                    begun.open()
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    @Test("receives published messages over TCP, WebSocket and TLS", arguments: Way.allCases)
    func delivered(_ way: Way) async throws {
        try await Mosquitto.with { mosquitto, _ in
            let begun = ManualLatch()
            let stream = messages(try broker(mosquitto, way), connect, begun: begun)
            var iterator = stream.makeAsyncIterator()
            await begun.pass()
            let long = String(repeating: "ä", count: 100_000)
            for (text, quality) in [("one", 0), ("two", 1), (long, 0), ("", 0)] {
                try await mosquitto.publish(text, to: "news/today", quality: quality)
                #expect(try await iterator.next() == text)
            }
            try await mosquitto.publish("not for us", to: "weather")
            try await mosquitto.publish("for us", to: "news")
            #expect(try await iterator.next() == "for us")
        }
    }

    @Test("notices that the broker disconnected", arguments: Way.allCases)
    func disconnected(_ way: Way) async throws {
        try await Mosquitto.with { mosquitto, server in
            let begun = ManualLatch()
            let stream = messages(try broker(mosquitto, way), connect, begun: begun)
            await begun.pass()
            await server.stop(SIGKILL)
            var iterator = stream.makeAsyncIterator()
            await #expect(throws: (any Error).self) { try await iterator.next() }
        }
    }

    @Test("pings an idle broker and still receives messages after that")
    func sendsPings() async throws {
        try await Mosquitto.with { mosquitto, server in
            let begun = ManualLatch()
            let stream = messages(
                try broker(mosquitto, .webSocket), MQTTConnect(clientID: "reader-1", keepAlive: 10), begun: begun)
            await begun.pass()
            while await server.output.contains("Sending PINGRESP to reader-1") == false {
                try await Task.sleep(for: .milliseconds(20))
            }
            try await mosquitto.publish("still there", to: "news")
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next() == "still there")
        }
    }

    @Test("disconnects from a broker that no longer responds")
    func keepAliveTimeout() async throws {
        try await Mosquitto.with { mosquitto, server in
            let begun = ManualLatch()
            let stream = messages(
                try broker(mosquitto, .tcp), MQTTConnect(clientID: "reader-1", keepAlive: 1), begun: begun)
            await begun.pass()
            await server.pause()
            var iterator = stream.makeAsyncIterator()
            await #expect(throws: MQTTFailure.keepAliveTimeout) { try await iterator.next() }
            await server.resume()
        }
    }

    @Test("is rejected without the right password, and accepted with it")
    func rejected() async throws {
        try await Mosquitto.with(user: ("ada", "engine")) { mosquitto, server in
            var wrong = connect
            wrong.userName = "ada"
            wrong.password = "wrong"
            var iterator = messages(try broker(mosquitto, .tcp), wrong).makeAsyncIterator()
            await #expect(throws: MQTTFailure.rejected(code: 5)) { try await iterator.next() }
            var right = wrong
            right.password = "engine"
            let begun = ManualLatch()
            let stream = messages(try broker(mosquitto, .tcp), right, begun: begun)
            await begun.pass()
            _ = stream
        }
    }

    @Test("reports a server that does not switch to WebSocket")
    func notUpgraded() async throws {
        try await withScriptedHTTPServer(responding: { "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n" }) {
            port in
            let broker = MQTTBroker(host: "127.0.0.1", port: port, tls: nil, webSocketTarget: "/mqtt")
            var iterator = messages(broker, connect).makeAsyncIterator()
            await #expect(throws: MQTTFailure.notUpgraded) { try await iterator.next() }
        }
    }

    @Test("rejects a broker with an untrusted certificate")
    func untrusted() async throws {
        try await Mosquitto.with { mosquitto, _ in
            let broker = MQTTBroker(
                host: "localhost", port: mosquitto.secureWebSocketPort, tls: .makeClientConfiguration(),
                webSocketTarget: "/mqtt")
            var iterator = messages(broker, connect).makeAsyncIterator()
            await #expect(throws: (any Error).self) { try await iterator.next() }
        }
    }

    @Test("disconnects when it is cancelled")
    func leaves() async throws {
        try await Mosquitto.with { mosquitto, server in
            let begun = ManualLatch()
            let target = try broker(mosquitto, .webSocket)
            let connect = connect
            let task = Task {
                try await target.subscribe(to: "news", as: connect, begin: { begun.open() }) { _ in }
            }
            await begun.pass()
            task.cancel()
            _ = await task.result
            while await server.output.contains("Client reader-1") == false {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}
