import Foundation
import Primitives
import SQLAccess
import Synchronization

/// One child of the pool, which handles one query at a time.
final class ProcessConnection: PooledConnection {
    private struct State {
        var nextID = 1
        var isUsable = true
        /// A Boolean value that indicates whether the connection was interrupted. An interrupt that comes too late
        /// for one query would end the next query.
        var isInterrupted = false
        var hasResponded = false
    }

    private let child: ChildProcess
    private let restart: SharedBackoff
    private let state = Mutex(State())

    /// Starts a child.
    init(_ launch: ProcessLaunch, _ functions: SpawnFunctions, restart: SharedBackoff) throws {
        try restart.requireStart()
        self.restart = restart
        do {
            child = try ChildProcess(launch, functions)
        } catch {
            restart.fail()
            throw error
        }
    }

    var isUsable: Bool { state.withLock { $0.isUsable && !$0.isInterrupted } }

    /// Sends a query and returns its result.
    ///
    /// - Parameter read: a closure that decodes the response. An error that it throws counts as a failure of the
    ///   child, too.
    func exchange<Value>(
        _ request: ProcessRequest, timeout: Duration, read: (ProcessResponse) throws -> Value
    ) throws -> Value {
        let id = state.withLock { state in
            // Until a valid response arrives, the next output of the child is unknown.
            state.isUsable = false
            defer { state.nextID += 1 }
            return state.nextID
        }
        let deadline = ContinuousClock.now + timeout
        do {
            let line = try child.channel.exchange(try request.line(id: id), by: deadline)
            do {
                let result = try read(try ProcessResponse(line, to: id))
                didRespond()
                return result
            } catch ProcessFailure.reportedError {
                // A valid response: the child works, and the error is in the system that it queries.
                didRespond()
                throw ProcessFailure.reportedError
            }
        } catch {
            didFail(error)
            throw error
        }
    }

    func interrupt() {
        state.withLock { $0.isInterrupted = true }
        child.channel.interrupt()
    }

    func close() { child.end(gracefully: isUsable) }

    private func didRespond() {
        state.withLock { state in
            state.isUsable = true
            state.hasResponded = true
        }
        restart.succeed()
    }

    private func didFail(_ error: any Error) {
        let isEarly = state.withLock { !$0.hasResponded }
        // A cancelled caller says nothing about the child.
        if isEarly, !(error is CancellationError) { restart.fail() }
    }
}

/// The backoff that all children of one backend share.
final class SharedBackoff: Sendable {
    private let state: Mutex<RestartBackoff>
    private let clock: WallClock

    init(_ backoff: RestartBackoff, clock: WallClock) {
        state = Mutex(backoff)
        self.clock = clock
    }

    func requireStart() throws(ProcessFailure) {
        guard state.withLock({ $0.mayStart(at: clock.elapsed) }) else { throw .restartDelayed }
    }

    func succeed() { state.withLock { $0.succeed() } }

    func fail() { state.withLock { $0.fail(at: clock.elapsed) } }
}
