package import Foundation
import Synchronization

/// Wakes whoever waits for something to do when there is something.
package final class Bell: Sendable {
    private struct State {
        var rings = 0
        var waiters: [ObjectIdentifier: Waiter<Void>] = [:]
    }

    private let sleep: Sleep
    private let state = Mutex(State())

    package init(sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }) {
        self.sleep = sleep
    }

    /// How often it has rung.
    package var rings: Int { state.withLock(\.rings) }

    package func ring() {
        let waiters = state.withLock { state in
            state.rings += 1
            defer { state.waiters = [:] }
            return state.waiters.values
        }
        for waiter in waiters { waiter.tell(.success(())) }
    }

    /// Waits until it has rung more often than was heard, and so many seconds at most.
    ///
    /// - Parameter heard: ``rings`` before it was looked what there is to do, so that no ring is missed.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func wait(after heard: Int, atMost seconds: TimeInterval) async throws {
        let waiter = Waiter<Void>()
        let hasRung = state.withLock { state in
            if state.rings == heard { state.waiters[ObjectIdentifier(waiter)] = waiter }
            return state.rings != heard
        }
        if hasRung { return try Task.checkCancellation() }
        let timer = Task { [sleep] in
            try await sleep(seconds)
            waiter.tell(.success(()))
        }
        defer {
            timer.cancel()
            state.withLock { $0.waiters[ObjectIdentifier(waiter)] = nil }
        }
        try await waiter.wait { waiter.tell(.failure(CancellationError())) }
    }
}
