import Foundation
package import Protections
import Synchronization

/// Wakes the worker when there is something to deliver.
package final class DeliveryBell: Sendable {
    private struct State {
        /// Rung while nobody waited.
        var isRung = false
        var waiter: Waiter<Void>?
    }

    private let sleep: Sleep
    private let state = Mutex(State())

    package init(sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) }) {
        self.sleep = sleep
    }

    package func ring() {
        let waiter = state.withLock { state in
            state.isRung = state.waiter == nil
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.tell(.success(()))
    }

    /// Waits until it rings, or has rung since it was last waited for, and so many seconds at most. Called by one task.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func wait(atMost seconds: TimeInterval) async throws {
        let waiter = Waiter<Void>()
        let isRung = state.withLock { state in
            defer { state.isRung = false }
            if !state.isRung { state.waiter = waiter }
            return state.isRung
        }
        if isRung { return try Task.checkCancellation() }
        let timer = Task { [sleep] in
            try await sleep(seconds)
            waiter.tell(.success(()))
        }
        defer { timer.cancel() }
        try await waiter.wait { waiter.tell(.failure(CancellationError())) }
    }
}
