public import Foundation

/// A rate limit whose events all processes of a state count together, for each subject.
///
/// One statement counts an event, so that processes that count at the same time never exceed the limit together.
///
/// Source: Pitfall 26, “Check, then act, across a lock”.
public struct SharedRateLimit: Sendable {
    private let name: String
    private let limit: Int
    private let window: TimeInterval
    private let store: any SharedCounterStore
    private let pseudonymKey: PseudonymKey

    /// - Parameters:
    ///   - name: The name of the limit. Limits of different names count separately.
    ///   - limit: The number of events in a burst, and per window in the long run.
    ///   - window: The window in seconds.
    ///   - store: The store of the counters.
    ///   - pseudonymKey: The key of the names of the counters, because a subject may be an address.
    public init(
        _ name: String, limit: Int, window: TimeInterval, store: any SharedCounterStore, pseudonymKey: PseudonymKey
    ) {
        self.name = name
        self.limit = limit
        self.window = window
        self.store = store
        self.pseudonymKey = pseudonymKey
    }

    /// Counts an event, if there is room for it, also if the client has disconnected.
    ///
    /// - Parameter subject: The parts of the subject's name.
    /// - Returns: The level after the event; nil if the store is unavailable. The caller then counts for itself, because
    ///   an outage of the store refuses nothing.
    package func charge(_ subject: [String]) async -> SharedCounterLevel? {
        let counter = SharedCounter(key: pseudonymKey.digest("rate limit", [name] + subject), limit: limit)
        return await Task { [store, window] in try? await store.charge([counter], window: window).first }.value
    }

    /// Returns the number of whole seconds until a counter without room has room for one event.
    package func wait(at level: SharedCounterLevel) -> Int {
        let cost = window / TimeInterval(max(1, limit))
        return max(1, Int((level.debt + cost - window).rounded(.up)))
    }
}
