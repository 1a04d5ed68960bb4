import Foundation
import Primitives
import Synchronization

/// The outcome of the last query. Health checks use this outcome instead of a query of their own while readers
/// cause queries.
final class HealthTracker: Sendable {
    private struct State {
        var last: (failed: Bool, at: TimeInterval)?
        var deadlinesExceeded = 0
    }

    /// The time in seconds for which an outcome counts as the health of the backend.
    static let validity: TimeInterval = 5

    private let clock: WallClock
    private let state = Mutex(State())

    init(clock: WallClock) {
        self.clock = clock
    }

    /// Runs a query and records its outcome.
    func tracking<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            let value = try await operation()
            record(failed: false)
            return value
        } catch {
            if FailureClassification.isBackendFailure(error) { record(failed: true) }
            if let error = error as? ProtectionError, [.deadlineExceeded, .passwordOverdue].contains(error) {
                state.withLock { $0.deadlinesExceeded += 1 }
            }
            throw error
        }
    }

    /// A Boolean value that indicates whether the last query failed, or `nil` if that query is too old.
    var hasFailedRecently: Bool? {
        state.withLock { state in
            let now = clock.elapsed
            return state.last.flatMap { now - $0.at < Self.validity ? $0.failed : nil }
        }
    }

    var status: (lastFailed: Bool?, deadlinesExceeded: Int) {
        state.withLock { ($0.last?.failed, $0.deadlinesExceeded) }
    }

    private func record(failed: Bool) {
        state.withLock { $0.last = (failed, clock.elapsed) }
    }
}
