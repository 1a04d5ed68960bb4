import Foundation
import Gatefold
import HTTPTypes
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Server

@Suite("The memory of the fast lane")
struct LaneMemoryTests {
    private let moment = ManualClock().now
    private let request = ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    private let reader = ClientAddress("192.0.2.1")

    @Test("gives what it keeps to whoever asked it, until the second is over")
    func second() {
        let memory = LaneMemory()
        let number = LaneMemory.number(of: request, from: reader)
        #expect(memory.answer(number, to: request, from: reader, at: moment) == nil)
        memory.keep(answer(), as: number)
        #expect(memory.answer(number, to: request, from: reader, at: moment.addingTimeInterval(0.999)) != nil)
        // Whatever has the same number.
        #expect(memory.answer(number, to: ByteBuffer(string: "GET /a"), from: reader, at: moment) == nil)
        memory.keep(answer(), as: number)
        #expect(memory.answer(number, to: request, from: ClientAddress("192.0.2.2"), at: moment) == nil)
        memory.keep(answer(), as: number)
        #expect(memory.answer(number, to: request, from: reader, at: moment.addingTimeInterval(1)) == nil)
        memory.keep(answer(), as: number)
        // A clock that is set back is another second, too.
        #expect(memory.answer(number, to: request, from: reader, at: moment) == nil)
    }

    @Test("knows what came before in this second")
    func again() {
        let memory = LaneMemory()
        _ = memory.answer(1, to: request, from: reader, at: moment)
        #expect([1, 2, 1, 1].map { memory.comesAgain($0) } == [false, false, true, true])
        _ = memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(1))
        #expect(!memory.comesAgain(1))
        for number in 0..<(2 * LaneMemory.mostNew) { _ = memory.comesAgain(number) }
        #expect(!memory.comesAgain(2 * LaneMemory.mostNew - 1))
    }

    @Test("takes what was found in one second for known in the next, and in no later one")
    func next() {
        let memory = LaneMemory()
        for number in [1, 2] {
            _ = memory.answer(number, to: request, from: reader, at: moment)
            memory.keep(answer(), as: number)
        }
        #expect(memory.answer(1, to: request, from: reader, at: moment) != nil)
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(1)) == nil)
        #expect([1, 2].map { memory.comesAgain($0) } == [true, false])
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(2)) == nil)
        #expect(!memory.comesAgain(1))
        memory.keep(answer(), as: 1)
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(2)) != nil)
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(4)) == nil)
        #expect(!memory.comesAgain(1))
    }

    @Test("forgets an answer that does not stand any more")
    func standing() {
        let memory = LaneMemory()
        let changes = ChangeCount()
        memory.keep(answer(Standing([changes.mark])), as: 1)
        _ = memory.answer(0, to: request, from: reader, at: moment)
        memory.keep(answer(Standing([changes.mark])), as: 1)
        #expect(memory.answer(1, to: request, from: reader, at: moment) != nil)
        changes.note()
        #expect(memory.answer(1, to: request, from: reader, at: moment) == nil)
        memory.keep(answer(Standing(until: moment.addingTimeInterval(0.5))), as: 1)
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(0.4)) != nil)
        #expect(memory.answer(1, to: request, from: reader, at: moment.addingTimeInterval(0.5)) == nil)
    }

    @Test("holds no more than it may")
    func bounds() {
        let memory = LaneMemory()
        _ = memory.answer(0, to: request, from: reader, at: moment)
        let body = ByteBuffer(repeating: 0x61, count: 20_000)
        let most = LaneMemory.capacity / 20_000
        for number in 0..<(2 * most) { memory.keep(answer(bytes: body), as: number) }
        let found = (0..<(2 * most)).count { memory.answer($0, to: request, from: reader, at: moment) != nil }
        #expect((1...most).contains(found))
        let long = LaneMemory()
        _ = long.answer(0, to: request, from: reader, at: moment)
        long.keep(answer(bytes: ByteBuffer(repeating: 0, count: LaneMemory.longest)), as: 1)
        #expect(long.answer(1, to: request, from: reader, at: moment) == nil)
    }

    @Test("is cleared when nobody asks any more")
    func clearing() throws {
        let loop = EmbeddedEventLoop()
        let memory = LaneMemory(on: loop)
        _ = memory.answer(0, to: request, from: reader, at: moment)
        memory.keep(answer(), as: 1)
        // As long as somebody does, it is as it was.
        for _ in 0..<3 {
            loop.advanceTime(by: .seconds(1))
            #expect(memory.answer(1, to: request, from: reader, at: moment) != nil)
        }
        loop.advanceTime(by: .seconds(4))
        #expect(memory.answer(1, to: request, from: reader, at: moment) == nil)
    }

    private func answer(
        _ standing: Standing = Standing(), bytes: ByteBuffer = ByteBuffer(string: "HTTP/1.1")
    ) -> KeptAnswer {
        KeptAnswer(
            to: request, from: reader, .bytes(bytes), first: bytes, status: .ok, route: "/", standing: standing,
            given: {},
            meters: AccessLog().meters(route: "/", method: "GET", status: .ok), path: "/", client: nil)
    }
}
