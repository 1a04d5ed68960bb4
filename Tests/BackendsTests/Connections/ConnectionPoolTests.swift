import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import SQLAccess

@Suite("Connection pool") struct ConnectionPoolTests {
    /// Counts of all connections of a test.
    private final class Ledger: Sendable {
        struct State {
            var opened = 0
            var closed = 0
            var inUse = 0
            var maxInUse = 0
            var now = ContinuousClock.now
        }

        let state = Mutex(State())
        /// Makes `close()` wait while it is true.
        let isGoodbyeAwaited = Atomic(false)

        var open: Int { state.withLock { $0.opened - $0.closed } }
        var opened: Int { state.withLock(\.opened) }
        func wait(_ time: Duration) { state.withLock { $0.now = $0.now.advanced(by: time) } }
    }

    private struct Lost: Error {}
    private struct Rejected: Error {}

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

    /// Starts a query that ignores interruption, and cancels it.
    private func holdAndAbandon(_ pool: ConnectionPool<Connection>, until latch: Latch) async {
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.use { _ in
                starting.finish()
                while !latch.isOpen.load(ordering: .relaxed) { sched_yield() }
            }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    private func pool(
        _ ledger: Ledger, size: Int = 4, replacementThreads: Int = 0, idleLifetime: Duration = .seconds(60),
        connecting: @escaping @Sendable (Connection) throws -> Void = { _ in }
    ) -> ConnectionPool<Connection> {
        ConnectionPool(
            size: size, replacementThreads: replacementThreads, idleLifetime: idleLifetime,
            open: { Connection(ledger, connecting: connecting) },
            isConnectionLoss: { $0 is Lost }, now: { ledger.state.withLock(\.now) })
    }

    @Test("A connection is reused by the next query")
    func stored() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        for number in 1...5 { #expect(try await pool.use { _ in number } == number) }
        #expect(ledger.opened == 1)
        #expect(pool.idleCount == 1)
    }

    @Test("Connections in use never exceed the pool's size, and every connection is kept or closed")
    func size() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, size: 3)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try? await pool.use { connection in
                        ledger.state.withLock { state in
                            state.inUse += 1
                            state.maxInUse = max(state.maxInUse, state.inUse)
                        }
                        defer { ledger.state.withLock { $0.inUse -= 1 } }
                        if number.isMultiple(of: 7) {
                            connection.spoil()
                            throw Rejected()
                        }
                    }
                }
            }
        }
        #expect(ledger.state.withLock(\.maxInUse) <= 3)
        #expect(ledger.open == pool.idleCount)
        #expect(pool.idleCount <= 3)
    }

    @Test("A connection that a query leaves unusable is closed")
    func unusable() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        await #expect(throws: Rejected.self) {
            try await pool.use { connection in
                connection.spoil()
                throw Rejected()
            }
        }
        #expect(ledger.open == 0)
        await #expect(throws: Rejected.self) { try await pool.use { _ in throw Rejected() } }
        #expect(pool.idleCount == 1, "a database error does not affect the connection")
    }

    @Test("A lost idle connection is replaced once, and the other idle connections are closed with it")
    func lossOfIdleConnections() async throws {
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
        let queried = Atomic(0)
        let response = try await pool.use { connection in
            if queried.add(1, ordering: .relaxed).newValue == 1 {
                connection.spoil()
                throw Lost()
            }
            return "answer"
        }
        #expect(response == "answer")
        #expect(queried.load(ordering: .relaxed) == 2)
        #expect(pool.idleCount == 1)
        #expect(ledger.open == 1)
    }

    @Test("A lost new connection is not replaced")
    func lossOfNew() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        let queried = Atomic(0)
        await #expect(throws: Lost.self) {
            try await pool.use { connection in
                queried.add(1, ordering: .relaxed)
                connection.spoil()
                throw Lost()
            }
        }
        #expect(queried.load(ordering: .relaxed) == 1)
        #expect(ledger.open == 0)
    }

    @Test("A connection that was idle for longer than its lifetime is closed, not reused")
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

    @Test("Cancelling a query interrupts and closes its connection")
    func cancellation() async throws {
        let ledger = Ledger()
        let pool = pool(ledger)
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await pool.use { connection in
                starting.finish()
                try connection.block()
            }
        }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await pool.use { _ in }
        while ledger.open != 1 { await Task.yield() }
        #expect(pool.idleCount == 1)
    }

    @Test("A connection can be interrupted while it connects")
    func cancellationWhileConnecting() async throws {
        let ledger = Ledger()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let pool = pool(ledger) { connection in
            starting.finish()
            try connection.block()
        }
        let task = Task { try await pool.use { _ in } }
        for await _ in started {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        while ledger.open != 0 { await Task.yield() }
        #expect(pool.idleCount == 0)
    }

    @Test("A cancelled query ends at once, even if its library call blocks or it still waits for a connection")
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
        for task in [first, second] {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(ledger.opened == 1, "the waiting query never had a connection")
        #expect(pool.waitingCount == 0, "the waiting query left the queue")
        isReleased.store(true, ordering: .relaxed)
        try await pool.use { _ in }
        while ledger.open != pool.idleCount { await Task.yield() }
    }

    @Test("A blocked thread is replaced after the stall timeout, up to the number of replacement threads")
    func replacementThreads() async throws {
        let ledger = Ledger()
        let pool = pool(ledger, size: 1, replacementThreads: 1)
        let latch = Latch()
        await holdAndAbandon(pool, until: latch)
        let early = Task { try await pool.use { _ in "early" } }
        while pool.waitingCount != 1 { await Task.yield() }
        #expect(ledger.opened == 1, "a thread that may soon be free is not replaced")
        ledger.wait(.seconds(5))
        #expect(try await pool.use { _ in "late" } == "late")
        #expect(try await early.value == "early")
        await holdAndAbandon(pool, until: latch)
        ledger.wait(.seconds(5))
        let third = Task { try await pool.use { _ in "third" } }
        while pool.waitingCount != 1 { await Task.yield() }
        latch.isOpen.store(true, ordering: .relaxed)
        #expect(try await third.value == "third")
        while ledger.open != pool.idleCount { await Task.yield() }
        #expect(pool.idleCount == 1)
    }

    @Test("A blocked thread is replaced for a waiting query without a further query")
    func spareForWaitingTask() async throws {
        let ledger = Ledger()
        let pool = ConnectionPool<Connection>(
            size: 1, replacementThreads: 1, stallTimeout: .milliseconds(50), open: { Connection(ledger) },
            isConnectionLoss: { $0 is Lost })
        let latch = Latch()
        await holdAndAbandon(pool, until: latch)
        #expect(try await pool.use { _ in "early" } == "early")
        latch.isOpen.store(true, ordering: .relaxed)
        while ledger.open != pool.idleCount { await Task.yield() }
    }

    @Test("A connection that fails to connect is closed")
    func noConnection() async throws {
        let ledger = Ledger()
        let pool = pool(ledger) { _ in throw Rejected() }
        await #expect(throws: Rejected.self) { try await pool.use { _ in } }
        #expect(ledger.opened == 1)
        #expect(ledger.open == 0)
    }

    @Test("The pool closes its connections when it ends, without blocking its last owner")
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
