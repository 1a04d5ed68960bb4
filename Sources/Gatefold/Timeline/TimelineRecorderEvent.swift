/// An event of a ``TimelineRecorder``, for logs and metrics.
package enum TimelineRecorderEvent: Sendable, Equatable {
    /// Entries were written.
    case written(Int)
    /// Events were discarded, because too many waited or too many concerned unknown readers.
    case dropped(Int)
    /// A batch could not be written. It waits for the next one.
    ///
    /// - Parameter cause: The cause, without contents.
    case notWritten(cause: String)
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
        case .waiting(let count): .gauge("gatefold_timeline_waiting", [:], count)
        }
    }
}
