import TestSupport
import Testing

@testable import MQTT

@Suite("What a publisher has for a broker")
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

    @Test("goes out once the broker has taken the publisher, in order, and is forgotten when it is acknowledged")
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

    @Test("waits where too much is under way")
    func window() {
        var outbox = running(capacity: 200)
        for number in 0..<100 { #expect(outbox.add([UInt8(number)], to: "t") == .added) }
        #expect(outbox.flush().count == MQTTOutbox.window)
        #expect(outbox.receive(.publishAcknowledged(1)) == [.published(1), .flush])
        #expect(outbox.flush() == [message(64, 65)])
    }

    @Test("loses the oldest for the newest when the broker is away for too long")
    func drops() {
        var outbox = MQTTOutbox(connect, capacity: 2)
        #expect(outbox.add([1], to: "t") == .added)
        #expect(outbox.add([2], to: "t") == .added)
        #expect(outbox.add([3], to: "t") == .addedForOldest)
        begin(&outbox)
        #expect(outbox.flush() == [message(2, 1), message(3, 2)])
    }

    @Test("goes out again, in its order, when the connection was lost before it was acknowledged")
    func again() {
        var outbox = running(capacity: 3)
        for number in 1...3 as ClosedRange<UInt8> { _ = outbox.add([number], to: "t") }
        _ = outbox.flush()
        _ = outbox.receive(.publishAcknowledged(2))
        _ = outbox.add([4], to: "t")
        #expect(outbox.lost() == 0)
        begin(&outbox)
        #expect(outbox.flush() == [message(1, 4), message(3, 5), message(4, 6)])
        for number in 5...7 as ClosedRange<UInt8> { _ = outbox.add([number], to: "t") }
        #expect(outbox.lost() == 3)
        #expect(outbox.count == 3)
    }

    @Test("is not taken where no broker could take it, or when it is over")
    func refuses() {
        var outbox = running()
        for topic in ["", "a/#", "+", "a\u{0}", String(repeating: "a", count: 65_536)] {
            #expect(outbox.add([], to: topic) == .refused)
        }
        #expect(outbox.add(Array(repeating: 0, count: MQTTPacket.largest), to: "t") == .refused)
        outbox.stop()
        #expect(outbox.add([1], to: "t") == .refused)
    }

    @Test("ends with a goodbye when all is acknowledged, and not before")
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

    @Test("asks a quiet broker whether it is there, and gives up on one that answers nothing, or acknowledges nothing")
    func keepsAlive() {
        var outbox = running()
        #expect(outbox.keepAlive() == [.send(.ping)])
        #expect(outbox.receive(.pong) == [])
        #expect(outbox.keepAlive() == [.send(.ping)])
        #expect(outbox.keepAlive() == [.fail(.silent)])
        var stuck = running()
        _ = stuck.add([1], to: "t")
        _ = stuck.flush()
        #expect(stuck.keepAlive() == [.send(.ping)])
        _ = stuck.receive(.pong)
        #expect(stuck.keepAlive() == [.fail(.silent)])
        var unanswered = MQTTOutbox(connect, capacity: 1)
        #expect(unanswered.keepAlive() == [])
        _ = unanswered.open()
        #expect(unanswered.keepAlive() == [.fail(.silent)])
    }

    @Test("fails where the broker refuses, or sends what it must not")
    func fails() {
        for code in 1...5 as ClosedRange<UInt8> {
            var outbox = MQTTOutbox(connect, capacity: 1)
            _ = outbox.open()
            #expect(outbox.receive(.connectAcknowledged(isPresent: false, code: code)) == [.fail(.refused(code: code))])
        }
        for packet in [
            MQTTPacket.ping, .disconnect, .publishAcknowledged(9), .connectAcknowledged(isPresent: false, code: 0),
            .subscribeAcknowledged(1, codes: [0]), .publish(MQTTMessage(topic: "t", payload: [])),
        ] {
            var outbox = running()
            #expect(outbox.receive(packet) == [.fail(.unexpected)])
        }
    }

    @Test("is acknowledged or waits, whatever happens in whatever order, and never goes out twice over one connection")
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
                    if addition == .addedForOldest { dropped += 1 }
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
                    dropped += outbox.lost()
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
