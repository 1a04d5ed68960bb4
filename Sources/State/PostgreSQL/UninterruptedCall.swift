import Synchronization

/// A call that continues if its caller is cancelled after the call began. If the caller is cancelled before, the call does
/// not begin.
///
/// An interrupted statement costs its connection. In an outage the clients of many calls disconnect, and so many new
/// connections would delay the recovery. The time limit of a statement bounds the call.
enum UninterruptedCall {
    private enum State { case waiting, begun, cancelled }

    private final class Progress: Sendable {
        let state = Mutex(State.waiting)

        /// Returns false if the caller was cancelled before.
        func begin() -> Bool {
            state.withLock { state in
                if state == .waiting { state = .begun }
                return state == .begun
            }
        }

        /// Returns false if the call has begun.
        func cancel() -> Bool {
            state.withLock { state in
                if state == .waiting { state = .cancelled }
                return state == .cancelled
            }
        }
    }

    /// - Parameter call: Receives a closure that marks the call as begun, and returns false if it is no longer wanted.
    /// - Throws: The error of the call, or `CancellationError` if the caller was cancelled before it began.
    static func run<Value: Sendable>(
        _ call: @escaping @Sendable (_ begin: @escaping @Sendable () -> Bool) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let progress = Progress()
        // An unstructured task is not cancelled together with this task.
        let running = Task { try await call { progress.begin() } }
        return try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            if progress.cancel() { running.cancel() }
        }
    }
}
