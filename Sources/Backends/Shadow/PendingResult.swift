import Synchronization

/// A result that arrives once or not at all.
final class PendingResult<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waited(CheckedContinuation<Value?, Never>)
        case resolved(Value?)
    }

    private let state = Mutex(State.open)

    /// Resolves the result. Only the first call has an effect.
    ///
    /// - Parameter result: The result, or `nil` if there will be none.
    func resolve(_ result: Value?) {
        let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .open:
                state = .resolved(result)
                return nil
            case .waited(let continuation):
                state = .resolved(result)
                return continuation
            case .resolved:
                return nil
            }
        }
        waiting?.resume(returning: result)
    }

    /// Waits for the result. May be called once.
    func value() async -> Value? {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Value?? in
                if case .resolved(let result) = state { return .some(result) }
                state = .waited(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }
    }
}
