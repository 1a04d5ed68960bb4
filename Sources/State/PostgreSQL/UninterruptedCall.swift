import Synchronization

/// A call that runs to its end even if its caller is cancelled.
///
/// An interrupted statement costs its connection. In an outage the clients of many calls disconnect, and so many new
/// connections would delay the recovery. The time limit of a statement bounds the call.
enum UninterruptedCall {
    private final class Caller: Sendable {
        let isCancelled = Mutex(false)
    }

    /// - Parameter call: Receives a closure that returns whether a call that has not begun is still wanted.
    /// - Throws: The error of the call, or `CancellationError` if the caller was cancelled before it began.
    static func run<Value: Sendable>(
        _ call: @escaping @Sendable (_ isWanted: @escaping @Sendable () -> Bool) async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let caller = Caller()
        // An unstructured task is not cancelled together with this task.
        let running = Task { try await call { !caller.isCancelled.withLock(\.self) } }
        return try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            caller.isCancelled.withLock { $0 = true }
        }
    }
}
