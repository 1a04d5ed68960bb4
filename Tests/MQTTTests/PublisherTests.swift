import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import MQTT

@Suite("Publisher at a real broker")
struct PublisherTests {
    private let connect = MQTTConnect(clientID: "gatefold-1", keepAlive: 30)

    private func reconnectBackoff() -> MQTTPublisher.ReconnectBackoff {
        var reconnectBackoff = MQTTPublisher.ReconnectBackoff()
        reconnectBackoff.minDelay = 0.02
        reconnectBackoff.maxDelay = 0.1
        reconnectBackoff.closing = 600
        return reconnectBackoff
    }

    private func publisher(
        _ broker: MQTTBroker, _ connect: MQTTConnect, capacity: Int = 100,
        _ events: Locked<[MQTTPublisher.Event]> = Locked([])
    ) -> MQTTPublisher {
        MQTTPublisher(
            broker, as: connect, capacity: capacity, reconnectBackoff: reconnectBackoff(),
            observe: { event in events.withLock { $0.append(event) } })
    }

    private func tcp(_ mosquitto: Mosquitto) -> MQTTBroker {
        MQTTBroker(host: "127.0.0.1", port: mosquitto.port, tls: nil)
    }

    private func secure(_ mosquitto: Mosquitto) throws -> MQTTBroker {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(mosquitto.authority)
        return MQTTBroker(
            host: "localhost", port: mosquitto.secureWebSocketPort, tls: tls, webSocketTarget: "/mqtt")
    }

    /// Returns the received messages, and the task that receives them.
    private func listen(_ mosquitto: Mosquitto) async -> (heard: Locked<[String]>, task: Task<Void, any Error>) {
        let heard = Locked<[String]>([])
        let begun = ManualLatch()
        let broker = tcp(mosquitto)
        let task = Task<Void, any Error> {
            try await broker.subscribe(
                to: "#", as: MQTTConnect(clientID: "listener", keepAlive: 30), begin: { begun.open() }
            ) { message in
                heard.withLock { $0.append(String(decoding: message.payload, as: UTF8.self)) }
            }
        }
        await begun.pass()
        return (heard, task)
    }

    private func wait(_ condition: () -> Bool) async throws {
        while !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(
        "delivers its messages in order over TCP and TLS", .timeLimit(.minutes(10)),
        arguments: [false, true])
    func delivers(isSecure: Bool) async throws {
        try await Mosquitto.with { mosquitto, _ in
            let (heard, listening) = await listen(mosquitto)
            let events = Locked<[MQTTPublisher.Event]>([])
            let publisher = publisher(isSecure ? try secure(mosquitto) : tcp(mosquitto), connect, capacity: 500, events)
            // Messages from before the connection are delivered, too.
            for number in 0..<100 { publisher.publish(Array("\(number)".utf8), to: "account-\(number % 7)") }
            let running = Task { await publisher.run() }
            try await wait { heard.withLock(\.count) == 100 }
            for number in 100..<300 { publisher.publish(Array("\(number)".utf8), to: "account") }
            publisher.close()
            await running.value
            try await wait { heard.withLock(\.count) == 300 }
            listening.cancel()
            #expect(heard.withLock(\.self) == (0..<300).map(String.init))
            #expect(events.withLock(\.first) == .connected)
            #expect(events.withLock { $0.count { $0 == .published(1) } } == 300)
            #expect(events.withLock { $0.count } == 301)
        }
    }

    @Test("continues with its queued messages when the broker returns", .timeLimit(.minutes(10)))
    func restart() async throws {
        try await Mosquitto.with { mosquitto, server in
            let events = Locked<[MQTTPublisher.Event]>([])
            let publisher = publisher(tcp(mosquitto), connect, events)
            let running = Task { await publisher.run() }
            publisher.publish([1], to: "a")
            try await wait { events.withLock { $0.contains(.published(1)) } }
            await server.stop(SIGKILL)
            try await wait {
                events.withLock { $0.contains(.disconnected(cause: "the broker cannot be reached")) }
            }
            for number in 0..<10 { publisher.publish(Array("\(number)".utf8), to: "retained-not") }
            let before = events.withLock { $0.count { $0 == .published(1) } }
            #expect(before == 1)
            try await server.start()
            try await wait { events.withLock { $0.count { $0 == .published(1) } } == 11 }
            #expect(events.withLock { $0.count { $0 == .connected } } == 2)
            publisher.close()
            await running.value
        }
    }

    @Test("republishes unacknowledged messages after a broker failure", .timeLimit(.minutes(10)))
    func midway() async throws {
        try await Mosquitto.with { mosquitto, server in
            let events = Locked<[MQTTPublisher.Event]>([])
            let publisher = publisher(tcp(mosquitto), connect, events)
            let running = Task { await publisher.run() }
            try await wait { events.withLock { $0.contains(.connected) } }
            // The broker accepts bytes without a response, and is then killed.
            await server.pause()
            for number in 0..<20 { publisher.publish([UInt8(number)], to: "a") }
            await server.stop(SIGKILL)
            try await wait { events.withLock { $0.count > 1 } }
            try await server.start()
            try await wait { events.withLock { $0.count { $0 == .published(1) } } >= 20 }
            publisher.close()
            await running.value
            #expect(!events.withLock(\.self).contains { if case .dropped = $0 { true } else { false } })
        }
    }

    @Test("drops the oldest messages during an outage and reports their number", .timeLimit(.minutes(10)))
    func drops() async throws {
        let events = Locked<[MQTTPublisher.Event]>([])
        let broker = MQTTBroker(host: "127.0.0.1", port: try FreePort.find(), tls: nil)
        let publisher = publisher(broker, connect, capacity: 5, events)
        let running = Task { await publisher.run() }
        for number in 0..<8 { publisher.publish([UInt8(number)], to: "a") }
        #expect(events.withLock { $0.count { $0 == .dropped(1) } } == 3)
        publisher.publish([], to: "#")
        #expect(events.withLock(\.self).contains(.rejected))
        running.cancel()
        await running.value
        #expect(events.withLock(\.last) == .dropped(5))
    }

    @Test("ends in time during a broker outage", .timeLimit(.minutes(10)))
    func closesWithoutBroker() async throws {
        let events = Locked<[MQTTPublisher.Event]>([])
        let broker = MQTTBroker(host: "127.0.0.1", port: try FreePort.find(), tls: nil)
        let time = ManualTime()
        let publisher = MQTTPublisher(
            broker, as: connect, sleep: time.sleep, observe: { event in events.withLock { $0.append(event) } })
        publisher.publish([1], to: "a")
        let running = Task { await publisher.run() }
        try await wait { !events.withLock(\.isEmpty) }
        publisher.close()
        while !events.withLock({ $0.contains(.dropped(1)) }) {
            time.advance(by: 0.5)
            try await Task.sleep(for: .milliseconds(2))
        }
        await running.value
    }

    @Test("retains nothing of its attempts during a broker outage", .timeLimit(.minutes(10)))
    func attemptsWithoutBroker() async throws {
        let events = Locked<[MQTTPublisher.Event]>([])
        let broker = MQTTBroker(host: "127.0.0.1", port: try FreePort.find(), tls: nil)
        let time = ManualTime()
        let publisher = MQTTPublisher(
            broker, as: connect, sleep: time.sleep, observe: { event in events.withLock { $0.append(event) } })
        let running = Task { await publisher.run() }
        for attempt in 1...10 {
            await until { events.withLock(\.count) == attempt && time.sleeping == 1 }
            // The run waits for the end, and so does the current pause.
            #expect(publisher.closeContinuations <= 2)
            // Longer than any pause.
            time.advance(by: 120)
        }
        running.cancel()
        await running.value
        #expect(publisher.closeContinuations == 0)
    }

    @Test("does not report a lost broker that closes the connection at the end", .timeLimit(.minutes(10)))
    func disconnectsAtEnd() async throws {
        let events = Locked<[MQTTPublisher.Event]>([])
        let closing = Locked<MQTTPublisher?>(nil)
        // Replaces the broker: reads the first packet that ends in an empty line, and closes the connection without a
        // response.
        try await withScriptedHTTPServer(responding: {
            closing.withLock(\.self)?.close()
            return ""
        }) { port in
            let publisher = publisher(
                MQTTBroker(host: "127.0.0.1", port: port, tls: nil),
                MQTTConnect(clientID: "gatefold-1\r\n\r\n", keepAlive: 3600), events)
            closing.withLock { $0 = publisher }
            await publisher.run()
        }
        #expect(events.withLock(\.self) == [])
    }

    @Test("is rejected with a wrong password, retries, and succeeds with the right one", .timeLimit(.minutes(10)))
    func password() async throws {
        try await Mosquitto.with(user: ("ada", "engine")) { mosquitto, _ in
            let events = Locked<[MQTTPublisher.Event]>([])
            var connect = connect
            connect.userName = "ada"
            connect.password = "wrong"
            let wrong = publisher(tcp(mosquitto), connect, events)
            let running = Task { await wrong.run() }
            wrong.publish([1], to: "a")
            try await wait { events.withLock(\.count) >= 2 }
            running.cancel()
            await running.value
            #expect(
                events.withLock(\.first) == .disconnected(cause: "the broker refused the connection with code 5"))
            #expect(!events.withLock(\.self).contains(.published(1)))
            connect.password = "engine"
            let right = publisher(tcp(mosquitto), connect, events)
            right.publish([1], to: "a")
            right.close()
            await right.run()
            #expect(events.withLock(\.last) == .published(1))
        }
    }

    @Test("does not publish at a broker with an untrusted certificate", .timeLimit(.minutes(10)))
    func untrusted() async throws {
        try await Mosquitto.with { mosquitto, _ in
            let events = Locked<[MQTTPublisher.Event]>([])
            let broker = MQTTBroker(
                host: "localhost", port: mosquitto.secureWebSocketPort, tls: .makeClientConfiguration(),
                webSocketTarget: "/mqtt")
            let publisher = publisher(broker, connect, events)
            let running = Task { await publisher.run() }
            try await wait { !events.withLock(\.isEmpty) }
            running.cancel()
            await running.value
            #expect(
                events.withLock(\.first)
                    == .disconnected(cause: "the broker's certificate cannot be trusted, or it has no TLS"))
        }
    }

    @Test("accepts the address of an MQTT or a WebSocket broker")
    func addresses() throws {
        func broker(_ address: String) -> MQTTBroker? {
            MQTTBroker(address: address, tls: .makeClientConfiguration())
        }
        #expect(broker("mqtt://broker.example.com")?.port == 1883)
        #expect(broker("mqtt://broker.example.com")?.tls == nil)
        #expect(broker("mqtts://broker.example.com")?.port == 8883)
        #expect(broker("mqtts://broker.example.com:1")?.tls != nil)
        #expect(broker("ws://broker.example.com")?.webSocketTarget == "/mqtt")
        #expect(broker("ws://broker.example.com")?.tls == nil)
        let secure = try #require(broker("wss://broker.example.com:8443/a/b"))
        #expect(secure.webSocketTarget == "/a/b" && secure.tls != nil && secure.port == 8443)
        #expect(broker("mqtt://[::1]:1883")?.host == "::1")
        for text in [
            "", "broker", "http://broker", "mqtt://", "mqtt://u:p@broker", "mqtt://broker/path", "wss://b/?q",
            "wss://b/#f",
            "mqtt://b:0", "mqtt://b:65536",
        ] {
            #expect(broker(text) == nil, "\(text)")
        }
    }
}
