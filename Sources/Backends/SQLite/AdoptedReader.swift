import Foundation
import Gatefold

/// What the embedded database can keep of a subscription that another system told.
struct AdoptedReader: Sendable, Equatable {
    let identifier: String
    let state: SubscriberRecord.State
    let message: String?
    let hasAllEditions: Bool
    /// No two with the same start, by their starts.
    let periods: [Period]
    let editions: [EditionID]
    let categories: [UserInfoCategory]

    /// Nil for what the database has no room or no word for.
    init?(_ identifier: String, _ subscription: Subscription, at moment: Date) {
        guard SubscriberDatabase.accepts(identifier: identifier), subscription.beginnings.isEmpty else { return nil }
        switch subscription.state {
        case .unknown, .stale: return nil
        // Where a period says the same, it also says until when: the copy must not outlive what was paid for.
        case .active: state = subscription.periods.contains { $0.contains(moment) } ? .automatic : .active
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
    /// Of two periods that start together the longer one covers both.
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
