import Foundation
import Primitives
import Synchronization

/// The outcome of the last query. Health checks use this outcome instead of a query of their own while readers
/// cause queries.
final class HealthTracker: Sendable {
    private struct State {
        var last: (failed: Bool, at: TimeInterval)?
        var lastFailure: BackendQueryFailure?
        /// The time of the first failure since the last success.
        var unavailableSince: Date?
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
    ///
    /// - Parameter call: The kind of query.
    func tracking<Value>(_ call: String, _ operation: () async throws -> Value) async throws -> Value {
        do {
            let value = try await operation()
            record(nil)
            return value
        } catch {
            if FailureClassification.isBackendFailure(error) {
                record(BackendQueryFailure(error, of: call, at: clock.now))
            }
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

    /// The last failed query of all, and the time since which every query has failed; nil for none.
    var failures: (last: BackendQueryFailure?, unavailableSince: Date?) {
        state.withLock { ($0.lastFailure, $0.unavailableSince) }
    }

    /// - Parameter failure: The failure; nil for a query that the backend responded to.
    private func record(_ failure: BackendQueryFailure?) {
        state.withLock { state in
            state.last = (failure != nil, clock.elapsed)
            if let failure {
                state.lastFailure = failure
                state.unavailableSince = state.unavailableSince ?? failure.time
            } else {
                state.unavailableSince = nil
            }
        }
    }
}
