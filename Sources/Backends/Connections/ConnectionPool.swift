import NIOPosix
import Synchronization

/// A connection to a subscriber system that is used through blocking calls, one question at a time.
///
/// The pool lends it to one question at a time, so only ``interrupt()`` is called while another call is under way.
protocol PooledConnection: AnyObject, Sendable {
    /// Whether it may be lent again after a question.
    var isUsable: Bool { get }

    /// Makes a blocking call that is under way on another thread return soon, and the connection unusable.
    func interrupt()

    /// Frees what it holds; it is not used again.
    func close()
}

/// Blocking connections, opened as they are needed and kept for the next question, each question on a thread.
///
/// How many ask at once is the business of the concurrency limit around the backend; the pool holds as many threads and
/// connections as that admits.
final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    private let open: @Sendable () throws -> Connection
    private let isLoss: @Sendable (any Error) -> Bool
    private let idleLifetime: Duration
    private let threads: NIOThreadPool
    private let idle = Mutex<[Idle]>([])

    /// - Parameters:
    ///   - size: threads, and so the most connections in use at once.
    ///   - idleLifetime: a connection that nobody used for so long is closed rather than lent.
    ///   - open: makes a connection; blocks, and ends by its own timeout.
    ///   - isLoss: whether an error says that the connection was gone before the question could be answered. A question on
    ///     a kept connection is then asked once more on a new one: questions only read, so asking twice does no harm.
    init(
        size: Int, idleLifetime: Duration = .seconds(300), open: @escaping @Sendable () throws -> Connection,
        isLoss: @escaping @Sendable (any Error) -> Bool
    ) {
        self.open = open
        self.isLoss = isLoss
        self.idleLifetime = idleLifetime
        threads = NIOThreadPool(numberOfThreads: size)
        threads.start()
    }

    deinit {
        for entry in idle.withLock({ $0 }) { entry.connection.close() }
        threads.shutdownGracefully { _ in }
    }

    /// Runs blocking work with a connection of its own. A cancelled question interrupts its connection.
    func use<Answer: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Answer) async throws -> Answer {
        let lease = Lease<Connection>()
        return try await withTaskCancellationHandler {
            try await threads.runIfActive { [self] in
                if let kept = takeIdle() {
                    do {
                        return try run(work, on: kept, lease)
                    } catch  where isLoss(error) && !lease.isCancelled {
                        // Its neighbours most likely went with it.
                        dropIdle()
                    }
                }
                return try run(work, on: try open(), lease)
            }
        } onCancel: {
            lease.cancel()
        }
    }

    /// Connections kept for the next question.
    var idleCount: Int { idle.withLock { $0.count } }

    private func run<Answer>(
        _ work: (Connection) throws -> Answer, on connection: Connection, _ lease: Lease<Connection>
    ) throws -> Answer {
        guard lease.take(connection) else {
            keep(connection)
            throw CancellationError()
        }
        defer {
            lease.giveBack()
            keep(connection)
        }
        return try work(connection)
    }

    private func takeIdle() -> Connection? {
        let now = ContinuousClock.now
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
        idle.withLock { $0.append(Idle(connection: connection, since: .now)) }
    }
}

/// Which connection a question holds at present, for the one who cancels it.
private final class Lease<Connection: PooledConnection>: Sendable {
    private struct State {
        var held: Connection?
        var isCancelled = false
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Returns false when the question was cancelled before it began.
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

    /// Under the lock, so that the connection is not interrupted after it was given back.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.held?.interrupt()
        }
    }
}
