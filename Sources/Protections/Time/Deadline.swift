package import Foundation

/// Waits for a call so long and no longer.
///
/// At the deadline whoever asked is told so and the call is cancelled; it may take its time to end all the same, because a
/// library that blocks is not interrupted.
package struct Deadline: Sendable {
    private let seconds: TimeInterval
    private let sleep: Sleep

    package init(seconds: TimeInterval, sleep: @escaping Sleep) {
        self.seconds = seconds
        self.sleep = sleep
    }

    /// - Parameter ended: called when the call has really ended, which may be long after the deadline.
    /// - Throws: ``ProtectionError/deadlineExceeded``, or ``ProtectionError/passwordOverdue`` when the call was at its
    ///   ``OwnWork`` then, or what the call throws.
    package func bound<Word: Sendable>(
        _ call: @escaping @Sendable () async throws -> Word, ended: @escaping @Sendable () -> Void
    ) async throws -> Word {
        let waiter = Waiter<Word>()
        let own = OwnWork()
        let calling = Task {
            let result: Result<Word, any Error>
            do {
                result = .success(try await OwnWork.$current.withValue(own) { try await call() })
            } catch {
                result = .failure(error)
            }
            // First, so that whoever is told the answer finds the slot free.
            ended()
            waiter.tell(result)
        }
        let timer = Task {
            try await sleep(seconds)
            let error: ProtectionError = own.isUnderWay ? .passwordOverdue : .deadlineExceeded
            if waiter.tell(.failure(error)) { calling.cancel() }
        }
        defer { timer.cancel() }
        return try await waiter.wait {
            calling.cancel()
            waiter.tell(.failure(CancellationError()))
        }
    }
}
