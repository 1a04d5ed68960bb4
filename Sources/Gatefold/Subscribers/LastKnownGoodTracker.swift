import Synchronization

/// A recorder of stale results: the last good result of a backend, returned because the backend is unavailable.
///
/// Such a result serves the reader, but must not update caches, because newer knowledge must survive it. Source:
/// Pitfall 9, “Outage and rejection confused”.
public final class LastKnownGoodTracker: Sendable {
    @TaskLocal private static var current: LastKnownGoodTracker?
    private let wereUsed = Atomic(false)

    private init() {}

    /// Records that a stale result was returned. The provider of the result calls it in the task of the caller.
    public static func record() { current?.wereUsed.store(true, ordering: .relaxed) }

    /// Runs a query and returns its result, and whether a stale result contributed to it.
    static func recording<Value: Sendable>(
        _ operation: () async throws -> Value
    ) async throws -> (result: Value, isLastKnownGood: Bool) {
        let own = LastKnownGoodTracker()
        // Also reports the stale result to the enclosing recorder.
        defer { if own.wereUsed.load(ordering: .relaxed) { record() } }
        let result = try await $current.withValue(own) { try await operation() }
        return (result, own.wereUsed.load(ordering: .relaxed))
    }
}
