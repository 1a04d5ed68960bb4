import Synchronization

/// A promise of one result for one waiting task. Of several results, the first counts.
package final class OneShotPromise<Value: Sendable>: Sendable {
    private enum State {
        case unheard
        case waiting(CheckedContinuation<Value, any Error>)
        case reported(Result<Value, any Error>)
        case done
    }

    private let state = Mutex(State.unheard)

    package init() {}

    /// Delivers a result. The return value is `false` if another result was delivered before.
    @discardableResult
    package func resolve(_ value: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Value, any Error>?) in
            switch state {
            case .unheard:
                state = .reported(value)
                return (true, nil)
            case .waiting(let continuation):
                state = .done
                return (true, continuation)
            case .reported, .done:
                return (false, nil)
            }
        }
        continuation?.resume(with: value)
        return isFirst
    }

    /// Waits for the result. Call it only once.
    ///
    /// - Parameter onCancel: Called when the waiting task is cancelled. It must ensure that a result is delivered.
    package func wait(onCancel: @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let value = state.withLock { state -> Result<Value, any Error>? in
                    guard case .reported(let value) = state else {
                        state = .waiting(continuation)
                        return nil
                    }
                    state = .done
                    return value
                }
                if let value { continuation.resume(with: value) }
            }
        } onCancel: {
            onCancel()
        }
    }
}
