public import Foundation
public import Gatefold

/// What the embedded database keeps about one subscriber.
public struct SubscriberRecord: Sendable, Equatable {
    /// How the state is found.
    public enum State: String, Sendable, CaseIterable {
        /// Active while a period runs, inactive otherwise.
        case automatic
        case active
        case inactive
        case suspended
    }

    /// The subscriber's number: never given to anyone else, even after deletion.
    public let id: Int64
    /// As ``CredentialFields/fold(_:)`` makes it.
    public var identifier: String
    public var passwordHash: String?
    public var state: State
    public var message: String?
    public var hasAllEditions: Bool
    public var periods: [Period]
    public var editions: [EditionID]
    public var categories: [UserInfoCategory]
    /// When a chain last took the reader over from another system; nil for whom the operator wrote down.
    public var adopted: Date?
    /// When the reader registered; nil for whom the operator or a chain wrote down.
    public var registered: Date?
    /// When the reader chose the password by themselves; nil when somebody else did.
    var chosen: Date?
    /// Who an adopted reader is in the other system; nil where that was not kept.
    var origin: AdoptionOrigin?

    /// The subscription at `moment`.
    public func subscription(at moment: Date) -> Subscription {
        let state: SubscriptionState =
            switch state {
            case .automatic: periods.contains { $0.contains(moment) } ? .active : .inactive
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            }
        // Everything is for the active: an inactive reader keeps the single editions, and never lacks a list of them
        // (PROTOCOLS 6A row 9).
        return Subscription(
            state: state, message: message,
            entitlement: hasAllEditions && state == .active ? .allEditions : .editions(Set(editions)),
            userInfo: categories, periods: periods)
    }
}

/// Whole milliseconds since 1970, which is how the database keeps moments.
enum Milliseconds {
    static func of(_ date: Date) -> Int64 { Int64(clamping: (date.timeIntervalSince1970 * 1000).rounded()) }
    static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value) ?? (value > 0 ? .max : .min)
    }
}
