import Synchronization

/// An answer that comes once, now or later, or not at all.
final class Pending<Answer: Sendable>: Sendable {
    private enum State {
        case open
        case waited(CheckedContinuation<Answer?, Never>)
        case resolved(Answer?)
    }

    private let state = Mutex(State.open)

    /// - Parameter answer: nil when there will be none. Only the first call counts.
    func resolve(_ answer: Answer?) {
        let waiting = state.withLock { state -> CheckedContinuation<Answer?, Never>? in
            switch state {
            case .open:
                state = .resolved(answer)
                return nil
            case .waited(let continuation):
                state = .resolved(answer)
                return continuation
            case .resolved:
                return nil
            }
        }
        waiting?.resume(returning: answer)
    }

    /// Waits for the answer; asked once.
    func value() async -> Answer? {
        await withCheckedContinuation { continuation in
            let answer = state.withLock { state -> Answer?? in
                if case .resolved(let answer) = state { return .some(answer) }
                state = .waited(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
