/// An event of a ``TimelineRecorder``, for logs and metrics.
package enum TimelineRecorderEvent: Sendable, Equatable {
    /// Events were written, or belong to erased readers.
    case written(Int)
    /// Events were discarded: too many waited, too many concerned unauthenticated subjects, the store did not accept them, or
    /// the process ended.
    case dropped(Int)
    /// A batch could not be written. It waits for the next attempt.
    ///
    /// - Parameter cause: The cause, without contents.
    case notWritten(cause: String)
    /// Old entries of some readers could not be deleted. A later batch deletes them.
    case notTrimmed(cause: String)
    /// The number of entries that wait for the store.
    case waiting(Int)
}

extension TimelineRecorderEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .written(let count): .counter("gatefold_timeline_events_total", ["result": "written"], by: count)
        case .dropped(let count): .counter("gatefold_timeline_events_total", ["result": "dropped"], by: count)
        case .notWritten(let cause):
            .counter("gatefold_timeline_failures_total").log(.warning, "Timeline not written", ["cause": cause])
        case .notTrimmed(let cause):
            .counter("gatefold_timeline_failures_total").log(.warning, "Timeline not trimmed", ["cause": cause])
        case .waiting(let count): .gauge("gatefold_timeline_waiting", [:], count)
        }
    }
}
