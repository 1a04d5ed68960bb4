public import Foundation
public import Gatefold

/// The data of one subscriber in the embedded database.
public struct SubscriberRecord: Sendable, Equatable {
    /// The rule that determines the subscription state.
    public enum State: String, Sendable, CaseIterable {
        /// Active during a period, otherwise inactive.
        case automatic
        case active
        case inactive
        case suspended
    }

    /// The number of the subscriber. It is never assigned again, even after deletion.
    public let id: Int64
    /// The identifier, folded by `CredentialFields`.
    public var identifier: String
    public var passwordHash: String?
    public var state: State
    public var message: String?
    public var hasAllEditions: Bool
    public var periods: [Period]
    public var editions: [EditionID]
    public var categories: [UserInfoCategory]
    /// The date when a chain last migrated the reader from another system; nil for a row that the operator wrote.
    public var migrated: Date?
    /// The date when the reader registered; nil for a row that the operator or a chain wrote.
    public var registered: Date?
    /// The date when the reader chose the password; nil if the operator or a chain set it.
    var chosen: Date?
    /// The origin of a migrated reader in the other system; nil if it was not stored.
    var origin: LazyMigrationOrigin?

    /// Returns the subscription at `timestamp`.
    public func subscription(at timestamp: Date) -> Subscription {
        let state: SubscriptionState =
            switch state {
            case .automatic: periods.contains { $0.contains(timestamp) } ? .active : .inactive
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            }
        // Only an active reader has all editions. An inactive reader retains the single editions and always has a
        // list of them. Source: Pugpig protocol, “Inactive subscriptions without a list”.
        return Subscription(
            state: state, message: message,
            entitlement: hasAllEditions && state == .active ? .allEditions : .editions(Set(editions)),
            userInfo: categories, periods: periods)
    }
}

/// Conversion between dates and whole milliseconds since 1970, the time format of the database.
enum Milliseconds {
    static func of(_ date: Date) -> Int64 { Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded()) }
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value) ?? (value > 0 ? .max : .min)
    }
}
