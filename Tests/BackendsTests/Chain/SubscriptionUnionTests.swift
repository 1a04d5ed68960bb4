import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Union of a reader's subscriptions") struct SubscriptionUnionTests {
    private static let editions = (1...3).compactMap { EditionID("com.example.\($0)") }
    private static let entitlements: [Entitlement] = [
        .allEditions, .nothing, .editions([editions[0]]), .editions([editions[1], editions[2]]),
    ]
    private static let subscriptions = SubscriptionState.allCases.flatMap { state in
        entitlements.map { Subscription(state: state, message: state.rawValue, entitlement: $0) }
    }

    @Test("Pitfall 1: the union opens exactly the editions that one of the subscriptions opens")
    func opens() {
        for first in Self.subscriptions {
            #expect(SubscriptionUnion.of([first]) == first)
            for second in Self.subscriptions {
                for third in Self.subscriptions {
                    let all = [first, second, third]
                    let union = SubscriptionUnion.of(all)
                    for edition in Self.editions {
                        guard union.opens(edition) == all.contains(where: { $0.opens(edition) }) else {
                            Issue.record("\(all): \(union)")
                            return
                        }
                    }
                    let reportsAllEditions = all.contains { $0.state == .active && $0.entitlement == .allEditions }
                    guard (union.entitlement == .allEditions) == reportsAllEditions else {
                        Issue.record("\(all): \(union)")
                        return
                    }
                }
            }
        }
    }

    @Test("The best state wins, with its message")
    func states() {
        let order: [SubscriptionState] = [.active, .inactive, .suspended, .stale, .unknown]
        for (index, better) in order.enumerated() {
            for worse in order[index...] {
                for pair in [[worse, better], [better, worse]] {
                    let union = SubscriptionUnion.of(pair.map { Subscription(state: $0, message: "\($0)") })
                    #expect(union.state == better && union.message == "\(better)")
                }
            }
        }
        #expect(SubscriptionUnion.of([]).state == .unknown)
    }

    @Test("Periods of a suspended subscription open nothing in the union")
    func periods() {
        let first = Period(start: .distantPast, end: nil)
        let second = Period(start: Date(timeIntervalSince1970: 0), end: nil)
        let facts = [UserInfoCategory(scheme: "a", value: "1"), UserInfoCategory(scheme: "a", value: "2")]
        let union = SubscriptionUnion.of([
            Subscription(state: .suspended, userInfo: [facts[0]], periods: [first]),
            Subscription(state: .active, userInfo: facts, periods: [second]),
            Subscription(state: .inactive, periods: [second]),
        ])
        #expect(union.periods == [second])
        #expect(union.userInfo == facts)
    }
}
