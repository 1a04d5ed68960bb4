package import Foundation
import Synchronization

/// A signal that wakes tasks that wait for work.
package final class AsyncSignal: Sendable {
    private struct State {
        var signalCount = 0
        /// The waiting tasks, which a signal wakes in the order of their arrival.
        var promises: [OneShotPromise<Void>] = []
    }

    private let sleep: Sleep
    private let state = Mutex(State())

    package init(sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }) {
        self.sleep = sleep
    }

    /// The number of signals so far.
    package var signalCount: Int { state.withLock(\.signalCount) }

    package func signal() {
        let promises = state.withLock { state in
            state.signalCount += 1
            defer { state.promises = [] }
            return state.promises
        }
        for promise in promises { promise.resolve(.success(())) }
    }

    /// Waits until there is a new signal, or until the time limit.
    ///
    /// - Parameters:
    ///   - lastSeen: The value of ``signalCount`` before the caller checked for work, so that no signal is missed.
    ///   - seconds: The time limit in seconds.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait(after lastSeen: Int, timeout seconds: TimeInterval) async throws {
        let promise = OneShotPromise<Void>()
        let isSignalled = state.withLock { state in
            if state.signalCount == lastSeen { state.promises.append(promise) }
            return state.signalCount != lastSeen
        }
        if isSignalled { return try Task.checkCancellation() }
        let timer = Task { [sleep] in
            try await sleep(seconds)
            promise.resolve(.success(()))
        }
        defer {
            timer.cancel()
            state.withLock { $0.promises.removeAll { $0 === promise } }
        }
        try await promise.wait { promise.resolve(.failure(CancellationError())) }
    }
}
