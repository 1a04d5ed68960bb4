package import Foundation
package import Primitives

/// A time limit for a call.
///
/// At the deadline, the caller receives an error and the call is cancelled. The call itself may take longer to end,
/// because a blocking library cannot be interrupted.
package struct Deadline: Sendable {
    private let seconds: TimeInterval
    private let sleep: Sleep

    package init(seconds: TimeInterval, sleep: @escaping Sleep) {
        self.seconds = seconds
        self.sleep = sleep
    }

    /// Runs a call with the time limit.
    ///
    /// - Parameter ended: Called when the call has ended, which may be long after the deadline.
    /// - Throws: ``ProtectionError/deadlineExceeded``, or ``ProtectionError/passwordOverdue`` if the call was in
    ///   its `LocalWork` at the deadline, or the error of the call.
    package func bound<Value: Sendable>(
        _ call: @escaping @Sendable () async throws -> Value, ended: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let promise = OneShotPromise<Value>()
        let own = LocalWork()
        let calling = Task {
            let result: Result<Value, any Error>
            do {
                result = .success(try await LocalWork.$current.withValue(own) { try await call() })
            } catch {
                result = .failure(error)
            }
            // The order matters: the slot is free before the caller receives the result.
            ended()
            promise.resolve(result)
        }
        let timer = Task {
            try await sleep(seconds)
            let error: ProtectionError = own.isRunning ? .passwordOverdue : .deadlineExceeded
            if promise.resolve(.failure(error)) { calling.cancel() }
        }
        defer { timer.cancel() }
        return try await promise.wait {
            calling.cancel()
            promise.resolve(.failure(CancellationError()))
        }
    }
}
