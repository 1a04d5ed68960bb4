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
    /// Counts a message with the other processes, also if the client has disconnected. Returns the number of seconds to wait
    /// if it was not counted.
    private var countTogether: (@Sendable (_ account: String) async throws -> TimeInterval?)?

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
    public mutating func share(_ name: String, store: any SharedPaceStore, pseudonymKey: PseudonymKey) {
        countTogether = { [limit, pause] account in
            let slots = (0..<limit).map {
                pseudonymKey.digest("rate limit", ["slot of \(name)", account, String($0)])
            }
            return try await Task { try await store.count(in: slots, window: Self.window, pause: pause) }.value
        }
    }

    /// Counts a message.
    ///
    /// - Parameter now: The time by `WallClock.elapsed`.
    /// - Returns: The number of seconds to wait, or `nil` if the message may be sent now.
    package func wait(for account: String, at now: TimeInterval) async -> Int? {
        if let wait = own.wait(for: account, at: now) { return wait }
        guard let countTogether else { return own.count(account, at: now) }
        do {
            if let wait = try await countTogether(account) { return max(1, Int(wait.rounded(.up))) }
            own.add(account, at: now)
            return nil
        } catch {
            // An outage of the store refuses no message.
            return own.count(account, at: now)
        }
    }
}
