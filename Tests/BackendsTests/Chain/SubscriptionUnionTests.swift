import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("The union of a reader's subscriptions") struct SubscriptionUnionTests {
    private static let editions = (1...3).compactMap { EditionID("com.example.\($0)") }
    private static let entitlements: [Entitlement] = [
        .allEditions, .nothing, .editions([editions[0]]), .editions([editions[1], editions[2]]),
    ]
    private static let subscriptions = SubscriptionState.allCases.flatMap { state in
        entitlements.map { Subscription(state: state, message: state.rawValue, entitlement: $0) }
    }

    @Test("Pitfall 1: it opens exactly what one of them opens")
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
                    let saysAll = all.contains { $0.state == .active && $0.entitlement == .allEditions }
                    guard (union.entitlement == .allEditions) == saysAll else {
                        Issue.record("\(all): \(union)")
                        return
                    }
                }
            }
        }
    }

    @Test("the best state wins, with its words")
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

    @Test("periods of a suspended subscription open nothing through another's")
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
