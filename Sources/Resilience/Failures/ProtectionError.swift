import Primitives

/// The reason that a query was not sent or not awaited. To the caller, all cases mean a failed query.
package enum ProtectionError: BackendFailure, Equatable {
    /// The system did not respond by the deadline.
    case deadlineExceeded
    /// The deadline passed while this process checked a password or the check waited for its turn.
    case passwordOverdue
    /// The queue is full.
    case queueFull
    /// The query waited in the queue for the maximum time.
    case queueTimeout
    /// The system failed recently and queries to it are paused.
    case breakerOpen
    /// All slots are in use, and the query could wait because it only refreshes a valid result.
    case busy
    /// The previous query failed a moment ago.
    case failedRecently

    package var cause: String {
        switch self {
        case .deadlineExceeded: "no response within the deadline"
        case .passwordOverdue: "the deadline passed while a password was checked or waiting to be checked"
        case .queueFull: "the query queue is full"
        case .queueTimeout: "waited too long in the query queue"
        case .breakerOpen: "the circuit breaker is open"
        case .busy: "busy with waiting readers"
        case .failedRecently: "the previous query failed"
        }
    }
}
