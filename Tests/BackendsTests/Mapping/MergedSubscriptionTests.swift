import Foundation
import Gatefold
import Testing

@testable import Backends

@Suite("Merged subscriptions of one reader") struct MergedSubscriptionTests {
    private func editions(_ names: String...) -> Entitlement { .editions(Set(names.compactMap { EditionID($0) })) }

    @Test("A single subscription is unchanged, and no subscription is the state unknown")
    func few() {
        let one = Subscription(state: .suspended, message: "m", entitlement: .allEditions)
        #expect(Subscription.merged([one]) == one)
        #expect(Subscription.merged([]) == Subscription(state: .unknown))
    }

    @Test("Pitfall 1: only an active subscription opens everything")
    func everything() {
        for state in SubscriptionState.allCases {
            let merged = Subscription.merged([
                Subscription(state: state, entitlement: .allEditions),
                Subscription(state: .inactive, entitlement: editions("a")),
            ])
            #expect((merged.entitlement == .allEditions) == (state == .active), "\(state)")
            #expect(merged.opens(EditionID("a")!), "\(state)")
        }
        let order = [
            Subscription(state: .active, entitlement: .allEditions),
            Subscription(state: .active, entitlement: editions("a")),
        ]
        #expect(Subscription.merged(order).entitlement == .allEditions)
        #expect(Subscription.merged(order.reversed()).entitlement == .allEditions)
    }

    @Test("The merged subscription opens what one of them opens by itself, in any order")
    func property() {
        let states = SubscriptionState.allCases
        let entitlements = [Entitlement.allEditions, editions(), editions("a"), editions("a", "b")]
        let all = states.flatMap { state in entitlements.map { Subscription(state: state, entitlement: $0) } }
        for left in all {
            for right in all {
                let merged = Subscription.merged([left, right])
                #expect(merged == Subscription.merged([right, left]))
                for name in ["a", "b", "c"] {
                    let edition = EditionID(name)!
                    #expect(merged.opens(edition) == (left.opens(edition) || right.opens(edition)))
                }
            }
        }
    }

    @Test("The message comes with the state; periods and user info are merged without duplicates")
    func rest() {
        let period = Period(start: .distantPast, end: nil)
        let info = UserInfoCategory(scheme: "s", value: "v")
        let merged = Subscription.merged([
            Subscription(state: .inactive, message: "ended", userInfo: [info], periods: [period]),
            Subscription(state: .active, message: "welcome", userInfo: [info], periods: [period]),
        ])
        #expect(merged == Subscription(state: .active, message: "welcome", userInfo: [info], periods: [period]))
    }
}
