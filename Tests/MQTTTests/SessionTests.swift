import Testing

@testable import MQTT

@Suite("Subscriber session")
struct SessionTests {
    private let connect = MQTTConnect(clientID: "reader", keepAlive: 30)

    private func running() -> MQTTSession {
        var session = MQTTSession(connect, filter: "reader")
        _ = session.open()
        _ = session.receive(.connectAcknowledged(isPresent: false, code: 0))
        _ = session.receive(.subscribeAcknowledged(1, codes: [0]))
        return session
    }

    @Test("connects, subscribes and begins")
    func begins() {
        var session = MQTTSession(connect, filter: "reader")
        #expect(session.open() == [.send(.connect(connect))])
        #expect(session.open() == [])
        #expect(
            session.receive(.connectAcknowledged(isPresent: true, code: 0))
                == [.send(.subscribe(1, filter: "reader", quality: 0))])
        #expect(session.receive(.subscribeAcknowledged(1, codes: [0])) == [.begin])
    }

    @Test("delivers messages even before the subscription is acknowledged, and acknowledges quality 1")
    func delivers() {
        var session = MQTTSession(connect, filter: "reader")
        _ = session.open()
        _ = session.receive(.connectAcknowledged(isPresent: false, code: 0))
        let message = MQTTMessage(topic: "reader", payload: [1])
        #expect(session.receive(.publish(message)) == [.deliver(message)])
        var first = message
        first.quality = 1
        first.identifier = 9
        #expect(session.receive(.publish(first)) == [.deliver(first), .send(.publishAcknowledged(9))])
    }

    @Test("fails if the broker rejects the connection", arguments: 1...5 as ClosedRange<UInt8>)
    func rejected(_ code: UInt8) {
        var session = MQTTSession(connect, filter: "reader")
        _ = session.open()
        #expect(session.receive(.connectAcknowledged(isPresent: false, code: code)) == [.fail(.rejected(code: code))])
        #expect(session.receive(.pong) == [])
        #expect(session.keepAlive() == [])
    }

    @Test("fails if the subscription is rejected or another one is acknowledged")
    func notSubscribed() {
        for (packet, failure) in [
            (MQTTPacket.subscribeAcknowledged(1, codes: [0x80]), MQTTFailure.notSubscribed),
            (.subscribeAcknowledged(1, codes: [0, 0]), .notSubscribed),
            (.subscribeAcknowledged(2, codes: [0]), .unexpected),
        ] {
            var session = MQTTSession(connect, filter: "reader")
            _ = session.open()
            _ = session.receive(.connectAcknowledged(isPresent: false, code: 0))
            #expect(session.receive(packet) == [.fail(failure)])
        }
    }

    @Test("pings the broker, and fails without a response before the next ping")
    func sendsPings() {
        var session = running()
        #expect(session.keepAlive() == [.send(.ping)])
        #expect(session.receive(.pong) == [])
        #expect(session.keepAlive() == [.send(.ping)])
        #expect(session.keepAlive() == [.fail(.keepAliveTimeout)])
        var unconnected = MQTTSession(connect, filter: "reader")
        #expect(unconnected.keepAlive() == [])
        _ = unconnected.open()
        #expect(unconnected.keepAlive() == [.fail(.keepAliveTimeout)])
    }

    @Test(
        "fails on a packet that a broker must not send",
        arguments: [
            .ping, .disconnect, .connectAcknowledged(isPresent: false, code: 0), .publishAcknowledged(1),
            .publish(MQTTMessage(topic: "t", payload: [], quality: 2, identifier: 1)),
            .subscribe(1, filter: "t", quality: 0), .subscribeAcknowledged(1, codes: [0]),
        ] as [MQTTPacket])
    func unexpected(_ packet: MQTTPacket) {
        var session = running()
        #expect(session.receive(packet) == [.fail(.unexpected)])
    }

    @Test("disconnects only if it was opened")
    func closes() {
        var session = running()
        #expect(session.close() == [.send(.disconnect)])
        #expect(session.close() == [])
        var unopened = MQTTSession(connect, filter: "reader")
        #expect(unopened.close() == [])
        #expect(unopened.open() == [])
    }
}
