import Foundation
import Gatefold

/// The part of a subscription from another system that the embedded database can store.
struct MigratedReader: Sendable, Equatable {
    let identifier: String
    let state: SubscriberRecord.State
    let message: String?
    let hasAllEditions: Bool
    /// The periods, sorted by start. No two periods have the same start.
    let periods: [Period]
    let editions: [EditionID]
    let categories: [UserInfoCategory]

    /// Creates the copy, or returns nil for a subscription that the database cannot represent.
    init?(_ identifier: String, _ subscription: Subscription, at timestamp: Date) {
        guard SubscriberDatabase.accepts(identifier: identifier), subscription.editionPrefixes.isEmpty else {
            return nil
        }
        switch subscription.state {
        case .unknown, .stale: return nil
        // If a period covers the present, the period also sets the end: the copy must not outlive the paid time.
        case .active: state = subscription.periods.contains { $0.contains(timestamp) } ? .automatic : .active
        case .inactive: state = .inactive
        case .suspended: state = .suspended
        }
        self.identifier = identifier
        message = subscription.message.flatMap { ImportRow.accepts(message: $0) ? $0 : nil }
        switch subscription.entitlement {
        case .allEditions:
            hasAllEditions = true
            editions = []
        case .editions(let held):
            hasAllEditions = false
            editions = held.sorted { $0.rawValue < $1.rawValue }
        }
        periods = subscription.periods
            .map { Period(start: Self.stored($0.start), end: $0.end.map(Self.stored)) }
            .reduce(into: []) { Period.add($1, to: &$0) }
            .sorted { $0.start < $1.start }
        var seen: Set<UserInfoCategory> = []
        categories =
            subscription.userInfo
            .filter { ImportRow.accepts(category: $0) && seen.insert($0).inserted }
            .sorted { ($0.scheme, $0.value) < ($1.scheme, $1.value) }
    }

    func isAlready(_ record: SubscriberRecord) -> Bool {
        record.state == state && record.message == message && record.hasAllEditions == hasAllEditions
            && record.periods == periods && record.editions == editions
            && record.categories.sorted { ($0.scheme, $0.value) < ($1.scheme, $1.value) } == categories
    }

    private static func stored(_ date: Date) -> Date { Milliseconds.date(Milliseconds.of(date)) }
}

extension Period {
    /// Adds a period. If two periods have the same start, the longer one remains, because it covers both.
    static func add(_ period: Period, to periods: inout [Period]) {
        guard let index = periods.firstIndex(where: { $0.start == period.start }) else {
            periods.append(period)
            return
        }
        guard let end = period.end, let other = periods[index].end else {
            periods[index] = Period(start: period.start, end: nil)
            return
        }
        periods[index] = Period(start: period.start, end: max(end, other))
    }
}
