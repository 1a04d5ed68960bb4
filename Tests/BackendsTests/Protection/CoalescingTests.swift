import Gatefold
import Protections
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("Identical questions", .timeLimit(.minutes(10)))
struct CoalescingTests {
    private let key = QuestionKey(1, 2, 3, 4)
    private let other = QuestionKey(1, 2, 3, 5)
    private let told = Told(answer: .nothing, asked: Moment(seconds: 0, order: 1))

    @Test("board one flight, and land together")
    func flights() {
        var flights = Flights<String>()
        guard case .begins(let flight, let first) = flights.board("a") else {
            Issue.record("the first to ask begins")
            return
        }
        guard case .joins(flight, let second) = flights.board("a") else {
            Issue.record("the second joins")
            return
        }
        guard case .begins(let apart, _) = flights.board("b") else {
            Issue.record("another question is another flight")
            return
        }
        #expect(flights.land(flight) == [first, second])
        #expect(flights.land(flight) == [])
        guard case .begins = flights.board("a") else {
            Issue.record("what has landed is boarded no more")
            return
        }
        #expect(flights.leave(apart, 999) == false)
        #expect(flights.count == 2)
    }

    @Test("the last asker to leave ends the flight; nobody boards it then")
    func leaving() {
        var flights = Flights<String>()
        guard case .begins(let flight, let first) = flights.board("a"), case .joins(_, let second) = flights.board("a")
        else {
            Issue.record("expected one flight")
            return
        }
        #expect(flights.leave(flight, first) == false)
        #expect(flights.leave(flight, first) == false)
        #expect(flights.leave(flight, second) == true)
        guard case .begins = flights.board("a") else {
            Issue.record("an ended flight is boarded no more")
            return
        }
    }

    @Test("are asked once, and all have the answer")
    func sharing() async throws {
        let coalescing = Coalescing()
        let door = Door()
        let asked = Kept(0)
        try await withThrowingTaskGroup(of: Told.self) { group in
            for _ in 0..<50 {
                group.addTask { [told, key] in
                    try await coalescing.share(key, .reader) {
                        asked.withLock { $0 += 1 }
                        await door.pass()
                        return told
                    }
                }
            }
            await until { coalescing.shared == 49 }
            door.open()
            var answers = 0
            for try await answer in group where answer.answer == .nothing { answers += 1 }
            #expect(answers == 50)
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("go on when the asker who began goes away, and end when all are gone")
    func goingAway() async throws {
        let coalescing = Coalescing()
        let door = Door()
        let wasCancelled = Kept(false)
        let ask: @Sendable () async throws -> Told = { [told] in
            await door.pass()
            wasCancelled.withLock { $0 = Task.isCancelled }
            return told
        }
        let first = Task { [key] in try await coalescing.share(key, .reader, ask) }
        await until { door.waiting == 1 }
        let second = Task { [key] in try await coalescing.share(key, .reader, ask) }
        await until { coalescing.shared == 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        door.open()
        #expect(try await second.value.answer == .nothing)
        #expect(!wasCancelled.withLock { $0 })

        let ended = Kept(false)
        let alone = Task { [other, told] in
            try await coalescing.share(other, .reader) {
                while !Task.isCancelled { await Task.yield() }
                ended.withLock { $0 = true }
                return told
            }
        }
        alone.cancel()
        await #expect(throws: CancellationError.self) { try await alone.value }
        await until { ended.withLock { $0 } }
    }

    @Test("a reader never shares the fate of a question that gives way to readers")
    func urgency() async throws {
        let coalescing = Coalescing()
        let door = Door()
        let background = Task { [key] in
            try await coalescing.share(key, .background) {
                await door.pass()
                throw ProtectionError.busy
            }
        }
        await until { door.waiting == 1 }
        let answer = try await coalescing.share(key, .reader) { [told] in told }
        #expect(answer.answer == .nothing)
        door.open()
        await #expect(throws: ProtectionError.busy) { try await background.value }
    }

    @Test("once the doors are closed the next asker begins anew")
    func doors() async throws {
        let coalescing = Coalescing()
        let door = Door()
        let before = Task { [key, told] in
            try await coalescing.share(key, .reader) {
                await door.pass()
                return told
            }
        }
        await until { door.waiting == 1 }
        coalescing.closeDoors()
        let next = try await coalescing.share(key, .reader) { [told] in Told(answer: .verdict(nil), asked: told.asked) }
        #expect(next.answer == .verdict(nil))
        door.open()
        #expect(try await before.value.answer == .nothing)
    }
}
