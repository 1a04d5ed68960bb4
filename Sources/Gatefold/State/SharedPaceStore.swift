public import Foundation

/// A store of the paces that all nodes of a state share, such as that of the e-mails to an account.
///
/// A pace is a maximum number of events within every window, and a pause between two of them. It has a slot for each
/// event of a window, and a slot has room again when the window of its event has passed.
public protocol SharedPaceStore: Sendable {
    /// Counts an event if there is room for it, and otherwise nothing. Other nodes that count at the same time never exceed
    /// the pace together.
    ///
    /// Source: Pitfall 26, “Check, then act, across a lock”.
    ///
    /// - Parameters:
    ///   - slots: The names of the slots, always in the same order: bytes that identify no person without a key.
    ///   - window: The window in seconds.
    ///   - pause: The minimum time between two events in seconds, at most the window.
    /// - Returns: The number of seconds to wait if the event was not counted; otherwise nil.
    func count(in slots: [[UInt8]], window: TimeInterval, pause: TimeInterval) async throws -> TimeInterval?
}
