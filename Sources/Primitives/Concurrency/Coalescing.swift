import Synchronization

/// Combines concurrent calls with the same key into one operation, whose result all of them receive.
///
/// A caller that leaves does not end the operation for the others. It is cancelled when all callers have left.
package final class Coalescing<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var singleFlight = SingleFlight<Key>()
        var promises: [UInt64: OneShotPromise<Value>] = [:]
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var shared = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func share(_ key: Key, _ operation: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let promise = OneShotPromise<Value>()
        let joinResult = state.withLock { state in
            let joinResult = state.singleFlight.join(key)
            switch joinResult {
            case .begins(let flight, let participant):
                state.promises[participant] = promise
                // The task starts under the lock so that it cannot end before it is recorded.
                state.tasks[flight] = Task { [self] in
                    do { complete(flight, .success(try await operation())) } catch { complete(flight, .failure(error)) }
                }
            case .joins(_, let participant):
                state.promises[participant] = promise
                state.shared += 1
            }
            return joinResult
        }
        switch joinResult {
        case .begins(let flight, let participant), .joins(let flight, let participant):
            return try await promise.wait { leave(flight, participant) }
        }
    }

    /// The number of callers that shared the result of another caller's operation.
    package var shared: Int { state.withLock(\.shared) }

    /// Makes later callers start new operations.
    package func forgetInFlight() {
        state.withLock { $0.singleFlight.forgetInFlight() }
    }

    private func complete(_ flight: UInt64, _ result: Result<Value, any Error>) {
        let promises = state.withLock { state in
            state.tasks[flight] = nil
            return state.singleFlight.complete(flight).compactMap { state.promises.removeValue(forKey: $0) }
        }
        for promise in promises { promise.resolve(result) }
    }

    private func leave(_ flight: UInt64, _ participant: UInt64) {
        let (promise, task) = state.withLock { state in
            let isLast = state.singleFlight.leave(flight, participant)
            return (
                state.promises.removeValue(forKey: participant), isLast ? state.tasks.removeValue(forKey: flight) : nil
            )
        }
        task?.cancel()
        promise?.resolve(.failure(CancellationError()))
    }
}
