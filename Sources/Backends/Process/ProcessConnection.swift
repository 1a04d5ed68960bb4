import Foundation
import Gatefold
import Synchronization

/// One child of the pool, asked one question at a time.
final class ProcessConnection: PooledConnection {
    private struct State {
        var nextID = 1
        var isUsable = true
        /// An interruption that came too late for one question would end the next one.
        var isInterrupted = false
        var hasAnswered = false
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

    /// - Parameter read: takes the answer apart; what it throws is the child's failure, too.
    func ask<Answer>(
        _ question: ProcessQuestion, timeout: Duration, read: (ProcessAnswer) throws -> Answer
    ) throws -> Answer {
        let id = state.withLock { state in
            // Until it is answered rightly, nobody knows what the child says next.
            state.isUsable = false
            defer { state.nextID += 1 }
            return state.nextID
        }
        let deadline = ContinuousClock.now + timeout
        do {
            let line = try child.channel.exchange(try question.line(id: id), by: deadline)
            do {
                let answer = try read(try ProcessAnswer(line, to: id))
                didAnswer()
                return answer
            } catch ProcessFailure.reportedError {
                // An answer as good as any: the child is well, what it asks is not.
                didAnswer()
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

    func close() { child.end(politely: isUsable) }

    private func didAnswer() {
        state.withLock { state in
            state.isUsable = true
            state.hasAnswered = true
        }
        restart.succeed()
    }

    private func didFail(_ error: any Error) {
        let isEarly = state.withLock { !$0.hasAnswered }
        // Who gave up waiting says nothing about the child.
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
        guard state.withLock({ $0.mayStart(at: clock.elapsed) }) else { throw .waitsToRestart }
    }

    func succeed() { state.withLock { $0.succeed() } }

    func fail() { state.withLock { $0.fail(at: clock.elapsed) } }
}
