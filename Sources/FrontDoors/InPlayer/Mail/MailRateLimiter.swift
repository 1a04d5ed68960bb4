public import Foundation
public import Gatefold

/// A limit on the number of e-mail messages of a kind to an account within an hour, so that a client with a token
/// cannot fill its owner's mailbox.
///
/// Each process counts, and the processes of a state also count together if the limiter has a store. While the store is
/// unavailable, the process counts for itself, because an outage must refuse no message.
public struct MailRateLimiter: Sendable {
    /// The length of the window, in seconds.
    static let window: TimeInterval = 3600

    private let limit: Int
    private let pause: TimeInterval
    private let own: MailTimes
    private var shared: (pause: SharedRateLimit, slots: SharedRateLimit)?

    /// - Parameters:
    ///   - limit: The maximum number of messages per account within an hour. Default: 5.
    ///   - pause: The minimum time between two messages, in seconds. Default: 60 s.
    ///   - capacity: The maximum number of accounts that this process counts for. While it is full, no other account gets
    ///     messages. Default: 100,000.
    public init(limit: Int = 5, pause: TimeInterval = 60, capacity: Int = 100_000) {
        self.limit = limit
        self.pause = pause
        own = MailTimes(limit: limit, pause: pause, window: Self.window, capacity: capacity)
    }

    /// Counts with the other processes of the state from now on.
    ///
    /// - Parameters:
    ///   - name: The name of the limit. Limits of different names count separately.
    ///   - store: The store of the counters.
    ///   - pseudonymKey: The key of the names of the counters.
    public mutating func share(_ name: String, store: any SharedCounterStore, pseudonymKey: PseudonymKey) {
        // A slot of the hour is a counter of its own with room for one message. So the limit holds within every hour,
        // while a counter of several messages would also admit those that have room again during the hour.
        shared = (
            pause: SharedRateLimit(
                "pause of \(name)", limit: 1, window: pause, store: store, pseudonymKey: pseudonymKey),
            slots: SharedRateLimit(
                "slot of \(name)", limit: 1, window: Self.window, store: store, pseudonymKey: pseudonymKey)
        )
    }

    /// Counts a message.
    ///
    /// - Parameter now: The time by `WallClock.elapsed`.
    /// - Returns: The number of seconds to wait, or `nil` if the message may be sent now.
    package func wait(for account: String, at now: TimeInterval) async -> Int? {
        if let wait = own.wait(for: account, at: now) { return wait }
        switch await countTogether(account) {
        case .wait(let seconds): return seconds
        case .counted:
            own.add(account, at: now)
            return nil
        case nil: return own.count(account, at: now)
        }
    }

    private enum Outcome {
        case counted
        case wait(Int)
    }

    /// Counts a message with the other processes.
    ///
    /// - Returns: Nil if the store is unavailable or there is none.
    private func countTogether(_ account: String) async -> Outcome? {
        guard let shared, let paused = await shared.pause.charge([account]) else { return nil }
        guard paused.hadRoom else { return .wait(shared.pause.wait(at: paused)) }
        var wait = Int(Self.window)
        for slot in 0..<limit {
            guard let level = await shared.slots.charge([account, String(slot)]) else { return nil }
            if level.hadRoom { return .counted }
            wait = min(wait, shared.slots.wait(at: level))
        }
        return .wait(max(wait, shared.pause.wait(at: paused)))
    }
}
