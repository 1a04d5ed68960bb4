import TestSupport
import Testing

@testable import MQTT

@Suite("Outbox of a publisher")
struct OutboxTests {
    private let connect = MQTTConnect(clientID: "gatefold", keepAlive: 30)

    private func running(capacity: Int = 100) -> MQTTOutbox {
        var outbox = MQTTOutbox(connect, capacity: capacity)
        begin(&outbox)
        return outbox
    }

    private func begin(_ outbox: inout MQTTOutbox) {
        _ = outbox.open()
        _ = outbox.receive(.connectAcknowledged(isPresent: false, code: 0))
    }

    private func message(_ payload: UInt8, _ identifier: UInt16) -> MQTTOutbox.Action {
        .send(.publish(MQTTMessage(topic: "t", payload: [payload], quality: 1, identifier: identifier)))
    }

    @Test("sends its messages in order once connected, and removes them when they are acknowledged")
    func publishes() {
        var outbox = MQTTOutbox(connect, capacity: 10)
        #expect(outbox.add([1], to: "t") == .added)
        #expect(outbox.flush() == [])
        #expect(outbox.open() == [.send(.connect(connect))])
        #expect(outbox.flush() == [])
        #expect(outbox.receive(.connectAcknowledged(isPresent: false, code: 0)) == [.flush])
        #expect(outbox.add([2], to: "t") == .added)
        #expect(outbox.flush() == [message(1, 1), message(2, 2)])
        #expect(outbox.flush() == [])
        #expect(outbox.receive(.publishAcknowledged(2)) == [.published(1), .flush])
        #expect(outbox.count == 1)
        #expect(outbox.receive(.publishAcknowledged(1)) == [.published(1), .flush])
        #expect(outbox.count == 0)
    }

    @Test("limits the number of unacknowledged messages")
    func window() {
        var outbox = running(capacity: 200)
        for number in 0..<100 { #expect(outbox.add([UInt8(number)], to: "t") == .added) }
        #expect(outbox.flush().count == MQTTOutbox.window)
        #expect(outbox.receive(.publishAcknowledged(1)) == [.published(1), .flush])
        #expect(outbox.flush() == [message(64, 65)])
    }

    @Test("drops the oldest message when it is full")
    func drops() {
        var outbox = MQTTOutbox(connect, capacity: 2)
        #expect(outbox.add([1], to: "t") == .added)
        #expect(outbox.add([2], to: "t") == .added)
        #expect(outbox.add([3], to: "t") == .addedByDroppingOldest)
        begin(&outbox)
        #expect(outbox.flush() == [message(2, 1), message(3, 2)])
    }

    @Test("resends unacknowledged messages in order after a lost connection")
    func again() {
        var outbox = running(capacity: 3)
        for number in 1...3 as ClosedRange<UInt8> { _ = outbox.add([number], to: "t") }
        _ = outbox.flush()
        _ = outbox.receive(.publishAcknowledged(2))
        _ = outbox.add([4], to: "t")
        #expect(outbox.handleConnectionLoss() == 0)
        begin(&outbox)
        #expect(outbox.flush() == [message(1, 4), message(3, 5), message(4, 6)])
        for number in 5...7 as ClosedRange<UInt8> { _ = outbox.add([number], to: "t") }
        #expect(outbox.handleConnectionLoss() == 3)
        #expect(outbox.count == 3)
    }

    @Test("rejects invalid topics, oversized messages and messages after its end")
    func rejects() {
        var outbox = running()
        for topic in ["", "a/#", "+", "a\u{0}", String(repeating: "a", count: 65_536)] {
            #expect(outbox.add([], to: topic) == .rejected)
        }
        #expect(outbox.add(Array(repeating: 0, count: MQTTPacket.maxSize), to: "t") == .rejected)
        outbox.stop()
        #expect(outbox.add([1], to: "t") == .rejected)
    }

    @Test("disconnects once every message is acknowledged, and not before")
    func stops() {
        var outbox = running()
        _ = outbox.add([1], to: "t")
        outbox.stop()
        #expect(!outbox.isDone)
        #expect(outbox.flush() == [message(1, 1)])
        #expect(outbox.receive(.publishAcknowledged(1)) == [.published(1), .flush])
        #expect(outbox.flush() == [.send(.disconnect), .end])
        #expect(outbox.isDone)
        #expect(outbox.flush() == [])
        var other = running()
        _ = other.add([1], to: "t")
        #expect(other.abandon() == 1)
        #expect(other.isDone)
    }

    @Test("pings an idle broker, and fails if that returns no response or no acknowledgement")
    func sendsPings() {
        var outbox = running()
        #expect(outbox.keepAlive() == [.send(.ping)])
        #expect(outbox.receive(.pong) == [])
        #expect(outbox.keepAlive() == [.send(.ping)])
        #expect(outbox.keepAlive() == [.fail(.keepAliveTimeout)])
        var stuck = running()
        _ = stuck.add([1], to: "t")
        _ = stuck.flush()
        #expect(stuck.keepAlive() == [.send(.ping)])
        _ = stuck.receive(.pong)
        #expect(stuck.keepAlive() == [.fail(.keepAliveTimeout)])
        var unanswered = MQTTOutbox(connect, capacity: 1)
        #expect(unanswered.keepAlive() == [])
        _ = unanswered.open()
        #expect(unanswered.keepAlive() == [.fail(.keepAliveTimeout)])
    }

    @Test("fails if the broker rejects it or sends an unexpected packet")
    func fails() {
        for code in 1...5 as ClosedRange<UInt8> {
            var outbox = MQTTOutbox(connect, capacity: 1)
            _ = outbox.open()
            #expect(
                outbox.receive(.connectAcknowledged(isPresent: false, code: code)) == [.fail(.rejected(code: code))])
        }
        for packet in [
            MQTTPacket.ping, .disconnect, .publishAcknowledged(9), .connectAcknowledged(isPresent: false, code: 0),
            .subscribeAcknowledged(1, codes: [0]), .publish(MQTTMessage(topic: "t", payload: [])),
        ] {
            var outbox = running()
            #expect(outbox.receive(packet) == [.fail(.unexpected)])
        }
    }

    @Test("never loses a message or sends it twice over one connection, in any order of events")
    func property() {
        var random = SeededRandom(seed: 311)
        for _ in 0..<2_000 {
            var outbox = MQTTOutbox(connect, capacity: Int.random(in: 1...100, using: &random))
            var (added, acknowledged, dropped) = (0, 0, 0)
            var open: [UInt16] = []
            var isThere = false
            for _ in 0..<100 {
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1:
                    let addition = outbox.add([1], to: "t")
                    added += 1
                    if addition == .addedByDroppingOldest { dropped += 1 }
                case 2 where isThere:
                    for case .send(.publish(let message)) in outbox.flush() {
                        let identifier = message.identifier ?? 0
                        #expect(identifier != 0 && !open.contains(identifier))
                        open.append(identifier)
                    }
                    #expect(open.count <= MQTTOutbox.window)
                case 3 where !open.isEmpty:
                    let identifier = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                    #expect(outbox.receive(.publishAcknowledged(identifier)) == [.published(1), .flush])
                    acknowledged += 1
                case 4 where isThere && Bool.random(using: &random):
                    dropped += outbox.handleConnectionLoss()
                    open = []
                    isThere = false
                case 5 where !isThere:
                    begin(&outbox)
                    isThere = true
                default: break
                }
                #expect(outbox.count == added - acknowledged - dropped)
            }
        }
    }
}
