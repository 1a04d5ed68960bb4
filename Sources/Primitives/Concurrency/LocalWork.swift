import Synchronization

/// A tracker of the work that a query does in this process, such as hashing a password or waiting to do so. The
/// time for that work does not count against the queried system.
package final class LocalWork: Sendable {
    @TaskLocal package static var current: LocalWork?
    private let present = Atomic(0)

    package init() {}

    package var isRunning: Bool { present.load(ordering: .acquiring) > 0 }

    /// Performs work of this process for the query of the current task.
    package static func during<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value {
        let current = current
        current?.present.add(1, ordering: .acquiringAndReleasing)
        defer { current?.present.subtract(1, ordering: .acquiringAndReleasing) }
        return try await work()
    }
}
