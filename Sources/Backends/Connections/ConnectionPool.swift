import NIOPosix
import Synchronization

/// A connection to a subscriber system that is used through blocking calls, one question at a time.
///
/// The pool lends it to one question at a time, so only ``interrupt()`` is called while another call is under way.
protocol PooledConnection: AnyObject, Sendable {
    /// Connects, where making the value did not: what is done here can be interrupted.
    func connect() throws

    /// Whether it may be lent again after a question.
    var isUsable: Bool { get }

    /// Makes a blocking call that is under way on another thread return soon, and the connection unusable.
    func interrupt()

    /// Frees what it holds; it is not used again.
    func close()
}

extension PooledConnection {
    func connect() throws {}
}

/// Blocking connections, opened as they are needed and kept for the next question, each question on a thread.
///
/// How many ask at once is the business of the concurrency limit around the backend; the pool holds as many threads and
/// connections as that admits, and a few spare ones in place of those that a library does not give back: see ``ThreadLine``.
final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    /// The most threads, and so connections, in place of those that do not come back.
    static var spare: Int { 16 }
    /// After a question was given up, so long is its thread waited for.
    static var patience: Duration { .seconds(5) }

    private let open: @Sendable () throws -> Connection
    private let isLoss: @Sendable (any Error) -> Bool
    private let idleLifetime: Duration
    private let patience: Duration
    private let threads: NIOThreadPool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let idle = Mutex<[Idle]>([])
    private let line: Mutex<ThreadLine>

    /// - Parameters:
    ///   - size: threads, and so the most connections in use at once, but for the spare ones.
    ///   - patience: after a question was given up, so long is its thread waited for.
    ///   - idleLifetime: a connection that nobody used for so long is closed rather than lent.
    ///   - open: makes a connection. What blocks is done in ``PooledConnection/connect()`` if it can be interrupted there;
    ///     it ends by its own timeout.
    ///   - isLoss: whether an error says that the connection was gone before the question could be answered. A question on
    ///     a kept connection is then asked once more on a new one: questions only read, so asking twice does no harm.
    init(
        size: Int, spare: Int = spare, patience: Duration = patience, idleLifetime: Duration = .seconds(300),
        open: @escaping @Sendable () throws -> Connection,
        isLoss: @escaping @Sendable (any Error) -> Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.open = open
        self.isLoss = isLoss
        self.now = now
        self.idleLifetime = idleLifetime
        self.patience = patience
        line = Mutex(ThreadLine(size: size, spare: spare, patience: patience))
        threads = NIOThreadPool(numberOfThreads: size + spare)
        threads.start()
    }

    deinit {
        // Saying goodbye to a server that is gone takes its time, and whoever let go of the pool may be an event loop.
        for entry in idle.withLock({ $0 }) { threads.submit { _ in entry.connection.close() } }
        threads.shutdownGracefully { _ in }
    }

    /// Runs blocking work with a connection of its own.
    ///
    /// A cancelled question interrupts its connection, and ends at once: its thread is free as soon as the library lets go.
    func use<Answer: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Answer) async throws -> Answer {
        let lease = Lease<Connection, Answer>()
        let ticket = line.withLock { $0.ticket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard lease.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                line.withLock { line in
                    line.join(ticket) { [self] in
                        let result = Result { try answer(work, lease) }
                        self.line.withLock { $0.leave(ticket) }
                        startNext()
                        lease.finish(result)
                    }
                }
                // Cancelled before it stood in line.
                if lease.isCancelled { giveUp(ticket) }
                startNext()
            }
        } onCancel: {
            lease.cancel()
            giveUp(ticket)
        }
    }

    private func giveUp(_ ticket: ThreadLine.Ticket) {
        let now = now()
        guard line.withLock({ $0.giveUp(ticket, at: now) }) else { return }
        // Who stands in line by then gets a spare one, though nobody else comes or leaves.
        Task { [weak self, patience] in
            try? await Task.sleep(for: patience)
            self?.startNext()
        }
    }

    private func startNext() {
        let now = now()
        while let start = line.withLock({ $0.next(at: now) }) { threads.submit { _ in start() } }
    }

    /// Questions that no thread has taken yet.
    var waitingCount: Int { line.withLock(\.waitingCount) }

    /// Connections kept for the next question.
    var idleCount: Int { idle.withLock { $0.count } }

    private func answer<Answer>(
        _ work: (Connection) throws -> Answer, _ lease: Lease<Connection, Answer>
    ) throws -> Answer {
        guard !lease.isCancelled else { throw CancellationError() }
        if let kept = takeIdle() {
            do {
                return try run(work, on: kept, isNew: false, lease)
            } catch  where isLoss(error) && !lease.isCancelled {
                // Its neighbours most likely went with it.
                dropIdle()
            }
        }
        return try run(work, on: try open(), isNew: true, lease)
    }

    private func run<Answer>(
        _ work: (Connection) throws -> Answer, on connection: Connection, isNew: Bool,
        _ lease: Lease<Connection, Answer>
    ) throws -> Answer {
        guard lease.take(connection) else {
            isNew ? connection.close() : keep(connection)
            throw CancellationError()
        }
        if isNew {
            do {
                try connection.connect()
            } catch {
                lease.giveBack()
                connection.close()
                throw error
            }
        }
        defer {
            lease.giveBack()
            keep(connection)
        }
        return try work(connection)
    }

    private func takeIdle() -> Connection? {
        let now = now()
        let (taken, expired) = idle.withLock { idle in
            let expired = idle.filter { now - $0.since > idleLifetime }
            idle.removeAll { now - $0.since > idleLifetime }
            return (idle.popLast(), expired)
        }
        for entry in expired { entry.connection.close() }
        return taken?.connection
    }

    private func dropIdle() {
        let all = idle.withLock { idle in
            defer { idle = [] }
            return idle
        }
        for entry in all { entry.connection.close() }
    }

    private func keep(_ connection: Connection) {
        guard connection.isUsable else { return connection.close() }
        let since = now()
        idle.withLock { $0.append(Idle(connection: connection, since: since)) }
    }
}

/// Which connection a question holds at present, for the one who cancels it, and who waits for the answer.
private final class Lease<Connection: PooledConnection, Answer: Sendable>: Sendable {
    private struct State {
        var held: Connection?
        var isCancelled = false
        /// Nil before the question began and after it was answered or cancelled: it is resumed once.
        var waiting: CheckedContinuation<Answer, any Error>?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Returns false when the question was cancelled before it began.
    func begin(_ continuation: CheckedContinuation<Answer, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.waiting = continuation
            return true
        }
    }

    /// Returns false when the question was cancelled before it had a connection.
    func take(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.held = connection
            return true
        }
    }

    func giveBack() {
        state.withLock { $0.held = nil }
    }

    func finish(_ result: Result<Answer, any Error>) {
        takeWaiting()?.resume(with: result)
    }

    /// Interrupts under the lock, so that the connection is not interrupted after it was given back.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.held?.interrupt()
        }
        takeWaiting()?.resume(throwing: CancellationError())
    }

    private func takeWaiting() -> CheckedContinuation<Answer, any Error>? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }
}
