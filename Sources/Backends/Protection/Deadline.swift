import Foundation

/// Waits for a call so long and no longer.
///
/// At the deadline whoever asked is told so and the call is cancelled; it may take its time to end all the same, because a
/// library that blocks is not interrupted.
struct Deadline: Sendable {
    let seconds: TimeInterval
    let sleep: Sleep

    /// - Parameter ended: called when the call has really ended, which may be long after the deadline.
    /// - Throws: ``ProtectionError/deadlineExceeded``, or ``ProtectionError/passwordOverdue`` when the call was at its
    ///   ``OwnWork`` then, or what the call throws.
    func bound<Word: Sendable>(
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

/// Waits so many seconds, or throws as soon as the waiting task is cancelled; passed in, so that tests need not wait.
typealias Sleep = @Sendable (TimeInterval) async throws -> Void
