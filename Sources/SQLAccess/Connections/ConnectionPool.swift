import NIOPosix
import Synchronization

/// A connection to a subscriber system with blocking calls, one query at a time.
///
/// The pool lends it to one query at a time, so only ``interrupt()`` is called during another call.
package protocol PooledConnection: AnyObject, Sendable {
    /// Connects, if the initialiser did not. Unlike the initialiser, this call can be interrupted.
    func connect() throws

    /// A Boolean value that indicates whether the connection can be reused after a query.
    var isUsable: Bool { get }

    /// Makes a blocking call on another thread return soon, and makes the connection unusable.
    func interrupt()

    /// Frees the resources of the connection, which is not used again.
    func close()
}

extension PooledConnection {
    package func connect() throws {}
}

/// A pool of blocking connections. It opens connections on demand, keeps them for further queries, and runs each
/// query on a thread.
///
/// The concurrency limit around the backend bounds the number of concurrent queries. The pool holds as many threads
/// and connections as that limit admits, plus a few spare ones that replace threads blocked in a library: see
/// ``ThreadPoolStateMachine``.
package final class ConnectionPool<Connection: PooledConnection>: Sendable {
    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    /// The maximum number of spare threads, and thus spare connections, that replace blocked ones. Default: 16.
    package static var replacementThreads: Int { 16 }
    /// The time after the cancellation of a query until its thread counts as lost. Default: 5 s.
    package static var stallTimeout: Duration { .seconds(5) }

    private let open: @Sendable () throws -> Connection
    private let isConnectionLoss: @Sendable (any Error) -> Bool
    private let idleLifetime: Duration
    private let stallTimeout: Duration
    private let threads: NIOThreadPool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let idle = Mutex<[Idle]>([])
    private let threadPool: Mutex<ThreadPoolStateMachine>

    /// - Parameters:
    ///   - size: The number of threads, and thus the maximum number of connections in use, without the spare ones.
    ///   - replacementThreads: The maximum number of spare threads. Default: 16.
    ///   - stallTimeout: The time after the cancellation of a query until its thread counts as lost. Default: 5 s.
    ///   - idleLifetime: The idle time after which a connection is closed instead of lent. Default: 300 s.
    ///   - open: Creates a connection. Blocking work belongs in ``PooledConnection/connect()`` if it can be
    ///     interrupted there. It ends by its own timeout.
    ///   - isConnectionLoss: Whether an error means that the connection was lost before the query could complete. The pool
    ///     then repeats a query on a reused connection once on a new one. Queries only read, so a repetition does
    ///     no harm.
    package init(
        size: Int, replacementThreads: Int = replacementThreads, stallTimeout: Duration = stallTimeout,
        idleLifetime: Duration = .seconds(300),
        open: @escaping @Sendable () throws -> Connection,
        isConnectionLoss: @escaping @Sendable (any Error) -> Bool,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.open = open
        self.isConnectionLoss = isConnectionLoss
        self.now = now
        self.idleLifetime = idleLifetime
        self.stallTimeout = stallTimeout
        threadPool = Mutex(
            ThreadPoolStateMachine(size: size, replacementThreads: replacementThreads, stallTimeout: stallTimeout))
        threads = NIOThreadPool(numberOfThreads: size + replacementThreads)
        threads.start()
    }

    deinit {
        // Closing a connection to a dead server takes time, and the pool may be released on an event loop.
        for entry in idle.withLock({ $0 }) { threads.submit { _ in entry.connection.close() } }
        threads.shutdownGracefully { _ in }
    }

    /// Runs blocking work with an exclusive connection.
    ///
    /// Cancellation interrupts the connection and ends the call at once. The thread becomes free as soon as the
    /// library returns.
    package func use<Value: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        let lease = Lease<Connection, Value>()
        let entryID = threadPool.withLock { $0.entryID() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard lease.begin(continuation) else { return continuation.resume(throwing: CancellationError()) }
                threadPool.withLock { threadPool in
                    threadPool.join(entryID) { [self] in
                        let result = Result { try perform(work, lease) }
                        self.threadPool.withLock { $0.leave(entryID) }
                        startNext()
                        lease.finish(result)
                    }
                }
                // The task was cancelled before it joined the queue.
                if lease.isCancelled { abandon(entryID) }
                startNext()
            }
        } onCancel: {
            lease.cancel()
            abandon(entryID)
        }
    }

    private func abandon(_ entryID: ThreadPoolStateMachine.EntryID) {
        let now = now()
        guard threadPool.withLock({ $0.abandon(entryID, at: now) }) else { return }
        // Starts a waiting query on a spare thread after the time limit, even if no other query arrives or ends.
        Task { [weak self, stallTimeout] in
            try? await Task.sleep(for: stallTimeout)
            self?.startNext()
        }
    }

    private func startNext() {
        let now = now()
        while let start = threadPool.withLock({ $0.next(at: now) }) { threads.submit { _ in start() } }
    }

    /// The number of queries that wait for a thread.
    package var waitingCount: Int { threadPool.withLock(\.waitingCount) }

    /// The number of idle connections, available for further queries.
    package var idleCount: Int { idle.withLock { $0.count } }

    private func perform<Value>(
        _ work: (Connection) throws -> Value, _ lease: Lease<Connection, Value>
    ) throws -> Value {
        guard !lease.isCancelled else { throw CancellationError() }
        if let reused = popIdle() {
            do {
                return try run(work, on: reused, isNew: false, lease)
            } catch  where isConnectionLoss(error) && !lease.isCancelled {
                // The other idle connections are probably lost too.
                dropIdle()
            }
        }
        return try run(work, on: try open(), isNew: true, lease)
    }

    private func run<Value>(
        _ work: (Connection) throws -> Value, on connection: Connection, isNew: Bool,
        _ lease: Lease<Connection, Value>
    ) throws -> Value {
        guard lease.take(connection) else {
            isNew ? connection.close() : storeIdle(connection)
            throw CancellationError()
        }
        if isNew {
            do {
                try connection.connect()
            } catch {
                lease.release()
                connection.close()
                throw error
            }
        }
        defer {
            lease.release()
            storeIdle(connection)
        }
        return try work(connection)
    }

    private func popIdle() -> Connection? {
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

    private func storeIdle(_ connection: Connection) {
        guard connection.isUsable else { return connection.close() }
        let since = now()
        idle.withLock { $0.append(Idle(connection: connection, since: since)) }
    }
}

/// The connection of a query, for cancellation, and the task that waits for the result.
private final class Lease<Connection: PooledConnection, Value: Sendable>: Sendable {
    private struct State {
        var held: Connection?
        var isCancelled = false
        /// The waiting task. Nil before the query begins and after it completes or is cancelled, because a
        /// continuation is resumed once.
        var waiting: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Registers the waiting task. Returns false if the query was cancelled before it began.
    func begin(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.waiting = continuation
            return true
        }
    }

    /// Registers the connection. Returns false if the query was cancelled before it had a connection.
    func take(_ connection: Connection) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.held = connection
            return true
        }
    }

    func release() {
        state.withLock { $0.held = nil }
    }

    func finish(_ result: Result<Value, any Error>) {
        takeWaiting()?.resume(with: result)
    }

    /// Interrupts the connection under the lock, so that it is not interrupted after it was returned.
    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.held?.interrupt()
        }
        takeWaiting()?.resume(throwing: CancellationError())
    }

    private func takeWaiting() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
    }
}
