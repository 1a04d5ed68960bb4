package import Foundation
package import Gatefold
import Primitives

/// An event of the snapshot of revocations, for logs.
package enum SnapshotEvent: Sendable {
    /// The node started without its store.
    case restored(polledAt: Date, cause: String)
    /// The store is available for the first time since the start.
    case entered
    /// The store shows that it is another state than before, or than that of the snapshot with which the node started.
    case otherState
    case notWritten(cause: String)
}

extension SnapshotEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .restored(let polledAt, let cause):
            .line(
                .error, "Started without the state: revocations restored from the snapshot",
                ["cause": cause, "last_read": DebugTime.text(polledAt)])
        case .entered: .line(.notice, "State is available: all revocations are read")
        case .otherState: .line(.error, "The state was replaced by another one: restart the node")
        case .notWritten(let cause): .line(.error, "Snapshot of revocations not written", ["cause": cause])
        }
    }
}
