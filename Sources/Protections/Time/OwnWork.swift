import Synchronization

/// Knows whether a question is at what it has to do in this process, such as hashing a password or waiting for its turn
/// to: time that passes with that is not held against the system that is asked.
package final class OwnWork: Sendable {
    @TaskLocal static var current: OwnWork?
    private let present = Atomic(0)

    var isUnderWay: Bool { present.load(ordering: .acquiring) > 0 }

    /// Does work that is this process's own, for whatever question the task asks.
    package static func during<Answer: Sendable>(_ work: () async throws -> Answer) async rethrows -> Answer {
        let current = current
        current?.present.add(1, ordering: .acquiringAndReleasing)
        defer { current?.present.subtract(1, ordering: .acquiringAndReleasing) }
        return try await work()
    }
}
