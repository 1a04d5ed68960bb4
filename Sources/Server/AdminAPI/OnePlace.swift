import Synchronization

/// A place for one run at a time of an action that takes long.
final class OnePlace: Sendable {
    private let isTaken = Mutex(false)

    /// Runs an action; returns nil, without a run, while another one takes place.
    func run<Value>(_ action: () async throws -> Value) async rethrows -> Value? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        guard isFree else { return nil }
        defer { isTaken.withLock { $0 = false } }
        return try await action()
    }
}
