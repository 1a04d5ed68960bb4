import Synchronization

/// Somebody who waits for one word, which is given once: of several, the first counts.
package final class Waiter<Word: Sendable>: Sendable {
    private enum State {
        case unheard
        case waiting(CheckedContinuation<Word, any Error>)
        case told(Result<Word, any Error>)
        case done
    }

    private let state = Mutex(State.unheard)

    package init() {}

    /// Returns false when another word came before.
    @discardableResult
    package func tell(_ word: Result<Word, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Word, any Error>?) in
            switch state {
            case .unheard:
                state = .told(word)
                return (true, nil)
            case .waiting(let continuation):
                state = .done
                return (true, continuation)
            case .told, .done:
                return (false, nil)
            }
        }
        continuation?.resume(with: word)
        return isFirst
    }

    /// Waits for the word; called once.
    ///
    /// - Parameter onCancel: called when the waiting task is cancelled; it is what makes sure that a word comes.
    package func wait(onCancel: @Sendable () -> Void) async throws -> Word {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let word = state.withLock { state -> Result<Word, any Error>? in
                    guard case .told(let word) = state else {
                        state = .waiting(continuation)
                        return nil
                    }
                    state = .done
                    return word
                }
                if let word { continuation.resume(with: word) }
            }
        } onCancel: {
            onCancel()
        }
    }
}
