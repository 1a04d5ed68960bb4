import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("Pooled connections") struct ConnectionPoolTests {
    /// What happened to all connections of a test.
    private final class Ledger: Sendable {
        struct State {
            var opened = 0
            var closed = 0
            var inUse = 0
            var mostInUse = 0
            var now = ContinuousClock.now
        }

        let state = Mutex(State())
        /// As long as it is, closing takes.
        let isGoodbyeAwaited = Atomic(false)

        var open: Int { state.withLock { $0.opened - $0.closed } }
        var opened: Int { state.withLock(\.opened) }
        func wait(_ time: Duration) { state.withLock { $0.now = $0.now.advanced(by: time) } }
    }

    private struct Lost: Error {}
    private struct Refused: Error {}

    private final class Connection: PooledConnection {
        private struct State {
            var isUsable = true
            var isInterrupted = false
            var isClosed = false
        }

        private let state = Mutex(State())
        private let ledger: Ledger
        private let connecting: @Sendable (Connection) throws -> Void

        init(_ ledger: Ledger, connecting: @escaping @Sendable (Connection) throws -> Void = { _ in }) {
            self.ledger = ledger
            self.connecting = connecting
            ledger.state.withLock { $0.opened += 1 }
        }

        func connect() throws { try connecting(self) }

        var isUsable: Bool { state.withLock(\.isUsable) }
        var isInterrupted: Bool { state.withLock(\.isInterrupted) }

        func spoil() { state.withLock { $0.isUsable = false } }

        func interrupt() {
            state.withLock { state in
                state.isInterrupted = true
                state.isUsable = false
            }
        }

        func close() {
            let isFirst = state.withLock { state in
                defer { state.isClosed = true }
                return !state.isClosed
            }
            #expect(isFirst, "closed once")
            while ledger.isGoodbyeAwaited.load(ordering: .relaxed) { sched_yield() }
            ledger.state.withLock { $0.closed += 1 }
        }

        /// Blocks its thread until it is interrupted, as a library's call would.
        func block() throws {
            while !isInterrupted { sched_yield() }
            throw Lost()
        }
    }

    private final class Latch: Sendable {
        let isOpen = Atomic(false)
    }

    /// Asks what no interruption ends, and gives it up.
    private func holdAndGiveUp(_ pool: ConnectionPool<Connection>, until latch: Latch) async {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let question = Task {
            try await pool.use { _ in
                starting.finish()
                while !latch.isOpen.load(ordering: .relaxed) { sched_yield() }
            }
        }
        for await _ in started {}
        question.cancel()
        await #expect(throws: CancellationError.self) { try await question.value }
    }

    private func pool(
        _ ledger: Ledger, size: Int = 4, spare: Int = 0, idleLifetime: Duration = .seconds(60),
        connecting: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) -> ConnectionPool<Connection> {
        ConnectionPool(
            size: size, spare: spare, idleLifetime: idleLifetime, open: { Connection(ledger, connecting: connecting) },
            isLoss: { $0 is Lost }, now: { ledger.state.withLock(\.now) })
    }

    @Test("are kept for the next question")
    func kept() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        for number in 1...5 { #expect(try await pool.use { _ in number } == number) }
        #expect(ledger.opened == 1)
        #expect(pool.idleCount == 1)
    }

    @Test("are never more than the pool's size, whatever arrives, and all are kept or closed")
    func size() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, size: 3)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try? await pool.use { connection in
                        ledger.state.withLock { state in
                            state.inUse += 1
                            state.mostInUse = max(state.mostInUse, state.inUse)
                        }
                        defer { ledger.state.withLock { $0.inUse -= 1 } }
                        if number.isMultiple(of: 7) {
                            connection.spoil()
                            throw Refused()
                        }
                    }
                }
            }
        }
        #expect(ledger.state.withLock(\.mostInUse) <= 3)
        #expect(ledger.open == pool.idleCount)
        #expect(pool.idleCount <= 3)
    }

    @Test("are closed, not kept, when a question leaves them unusable")
    func unusable() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        await #expect(throws: Refused.self) {
            try await pool.use { connection in
                connection.spoil()
                throw Refused()
            }
        }
        #expect(ledger.open == 0)
        await #expect(throws: Refused.self) { try await pool.use { _ in throw Refused() } }
        #expect(pool.idleCount == 1, "an answer that is an error does not harm the connection")
    }

    @Test("that are lost while they were kept are replaced once, and their neighbours with them")
    func lossOfKept() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await pool.use { _ in
                        ledger.state.withLock { $0.inUse += 1 }
                        while ledger.state.withLock(\.inUse) < 3 { sched_yield() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(pool.idleCount == 3)
        let asked = Atomic(0)
        let answer = try await pool.use { connection in
            if asked.add(1, ordering: .relaxed).newValue == 1 {
                connection.spoil()
                throw Lost()
            }
            return "answer"
        }
        #expect(answer == "answer")
        #expect(asked.load(ordering: .relaxed) == 2)
        #expect(pool.idleCount == 1)
        #expect(ledger.open == 1)
    }

    @Test("that are lost when they are new are not replaced")
    func lossOfNew() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        let asked = Atomic(0)
        await #expect(throws: Lost.self) {
            try await pool.use { connection in
                asked.add(1, ordering: .relaxed)
                connection.spoil()
                throw Lost()
            }
        }
        #expect(asked.load(ordering: .relaxed) == 1)
        #expect(ledger.open == 0)
    }

    @Test("that nobody used for their idle lifetime are closed rather than lent")
    func expiry() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, idleLifetime: .seconds(60))
        try await pool.use { _ in }
        ledger.wait(.seconds(60))
        try await pool.use { _ in }
        #expect(ledger.opened == 1)
        ledger.wait(.seconds(61))
        try await pool.use { _ in }
        #expect(ledger.opened == 2)
        #expect(ledger.open == 1)
    }

    @Test("are interrupted when their question is cancelled, which ends it, and closed")
    func cancellation() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let question = Task {
            try await pool.use { connection in
                starting.finish()
                try connection.block()
            }
        }
        for await _ in started {}
        question.cancel()
        await #expect(throws: CancellationError.self) { try await question.value }
        try await pool.use { _ in }
        while ledger.open != 1 { await Task.yield() }
        #expect(pool.idleCount == 1)
    }

    @Test("can be interrupted while they connect")
    func cancellationWhileConnecting() async throws {
        let ledger = Ledger()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let pool = pool(ledger) { connection in
            starting.finish()
            try connection.block()
        }
        let question = Task { try await pool.use { _ in } }
        for await _ in started {}
        question.cancel()
        await #expect(throws: CancellationError.self) { try await question.value }
        while ledger.open != 0 { await Task.yield() }
        #expect(pool.idleCount == 0)
    }

    @Test("do not keep a cancelled question waiting, though their library does not let go, nor one that waits in line")
    func stubborn() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, size: 1)
        let isReleased = Atomic(false)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await pool.use { _ in
                starting.finish()
                while !isReleased.load(ordering: .relaxed) { sched_yield() }
            }
        }
        for await _ in started {}
        let second = Task { try await pool.use { _ in } }
        for question in [first, second] {
            question.cancel()
            await #expect(throws: CancellationError.self) { try await question.value }
        }
        #expect(ledger.opened == 1, "the one that waited never had a connection")
        #expect(pool.waitingCount == 0, "nor does it stand in line any more")
        isReleased.store(true, ordering: .relaxed)
        try await pool.use { _ in }
        while ledger.open != pool.idleCount { await Task.yield() }
    }

    @Test("that a library does not give back are replaced by spare ones after a while, and by so many only")
    func spare() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, size: 1, spare: 1)
        let latch = Latch()
        await holdAndGiveUp(pool, until: latch)
        let early = Task { try await pool.use { _ in "early" } }
        while pool.waitingCount != 1 { await Task.yield() }
        #expect(ledger.opened == 1, "a thread that may come back at once is not replaced")
        ledger.wait(.seconds(5))
        #expect(try await pool.use { _ in "late" } == "late")
        #expect(try await early.value == "early")
        await holdAndGiveUp(pool, until: latch)
        ledger.wait(.seconds(5))
        let third = Task { try await pool.use { _ in "third" } }
        while pool.waitingCount != 1 { await Task.yield() }
        latch.isOpen.store(true, ordering: .relaxed)
        #expect(try await third.value == "third")
        while ledger.open != pool.idleCount { await Task.yield() }
        #expect(pool.idleCount == 1)
    }

    @Test("that a library does not give back are replaced for who waits already, whether or not anybody else asks")
    func spareForWhoWaits() async throws {
        let ledger = Ledger()
        let pool = ConnectionPool<Connection>(
            size: 1, spare: 1, patience: .milliseconds(50), open: { Connection(ledger) }, isLoss: { $0 is Lost })
        let latch = Latch()
        await holdAndGiveUp(pool, until: latch)
        #expect(try await pool.use { _ in "early" } == "early")
        latch.isOpen.store(true, ordering: .relaxed)
        while ledger.open != pool.idleCount { await Task.yield() }
    }

    @Test("that could not connect are closed")
    func noConnection() async throws {
        let ledger = Ledger()
        let pool = pool(ledger) { _ in throw Refused() }
        await #expect(throws: Refused.self) { try await pool.use { _ in } }
        #expect(ledger.opened == 1)
        #expect(ledger.open == 0)
    }

    @Test("are closed with the pool, and whoever lets go of it does not wait for that")
    func end() async throws {
        let ledger = Ledger()
        ledger.isGoodbyeAwaited.store(true, ordering: .relaxed)
        do {
            let pool = pool(ledger)
            try await pool.use { _ in }
        }
        #expect(ledger.open == 1)
        ledger.isGoodbyeAwaited.store(false, ordering: .relaxed)
        while ledger.open != 0 { await Task.yield() }
    }
}
