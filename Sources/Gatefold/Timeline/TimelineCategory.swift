package import Foundation

/// The entries of a subject that are counted together. Each category has its own number of entries, so that frequent events
/// never displace rare ones.
package enum TimelineCategory: Int, Sendable, CaseIterable {
    /// Another state of the subscription, or a purchase.
    case changes = 0
    /// A session or a device that began or ended.
    case sessions = 1
    case uses = 2
    case refusals = 3
    /// Events that anyone can cause, because nobody was authenticated. They have an allowance, and end after a few days.
    case unverified = 4

    /// A Boolean value that indicates whether the same event again within seconds is the same entry. A change and a session
    /// have their own time each, because their order matters.
    var joinsRepetitions: Bool {
        switch self {
        case .changes, .sessions: false
        case .uses, .refusals, .unverified: true
        }
    }
}

extension TimelineEvent.Kind {
    /// The category of an event of an authenticated reader.
    package var category: TimelineCategory {
        switch self {
        case .subscriptionChanged, .purchaseRecorded: .changes
        case .signIn, .deviceAdded, .deviceEvicted, .sessionEnded: .sessions
        case .signInRefused, .refused, .downloadRefused, .purchaseRejected: .refusals
        default: .uses
        }
    }

    /// A Boolean value that indicates whether the event shows that an erased reader is back.
    package var endsErasure: Bool { self == .signIn || self == .purchaseRecorded }
}

extension TimelineEntry {
    /// The time in seconds within which the store has one entry for the same event; nil if each is an entry of its own. An app
    /// that repeats a refused call for weeks then has a few entries a day, and a receipt that is verified again has one.
    package var repetitionWindow: TimeInterval? {
        switch category {
        case .refusals, .unverified: 6 * 3_600
        case .changes, .sessions, .uses: event.kind == .purchaseRecorded ? 30 * 86_400 : nil
        }
    }
}
