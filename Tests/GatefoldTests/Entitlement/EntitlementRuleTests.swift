import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("The rule from a subscription to editions")
struct EntitlementRuleTests {
    static let fourth = EditionID("com.example.edition0004")!
    /// 1 and 2 past, 3 free, 4 of the future.
    static let catalogue = Catalogue([
        Edition(id: .first, title: "1", published: .after(-300)),
        Edition(id: .second, title: "2", published: .after(-200)),
        Edition(id: .third, title: "3", published: .after(-100), isFree: true),
        Edition(id: fourth, title: "4", published: .after(100)),
    ])

    private func entitlement(
        _ policy: EntitlementPolicy, _ state: SubscriptionState, _ told: Entitlement = .nothing,
        periods: [Period] = [], grace: GraceRules = GraceRules()
    ) -> Entitlement {
        let rule = EntitlementRule(policy: policy, grace: grace, catalogue: Self.catalogue)
        return rule.apply(
            to: Subscription(state: state, entitlement: told, periods: periods), at: .after(0)
        ).entitlement
    }

    @Test("Pitfall 1: everything is granted only where the policy allows it and an active reader has it")
    func everything() {
        for policy in EntitlementPolicy.allCases {
            for state in SubscriptionState.allCases {
                for told in [Entitlement.allEditions, .nothing, .editions([.first])] {
                    let rule = EntitlementRule(
                        policy: policy, grace: GraceRules(previousOfHeld: 2, newestForActive: 2),
                        catalogue: Self.catalogue)
                    let period = Period(start: .distantPast, end: nil)
                    let result = rule.apply(
                        to: Subscription(state: state, entitlement: told, periods: [period]), at: .after(0))
                    let opensUnknown = result.opens(EditionID("com.example.not-in-the-catalogue")!)
                    let allowed =
                        state == .active
                        && (policy == .accessBased || policy == .backendDecides && told == .allEditions)
                    #expect(opensUnknown == allowed, "\(policy) \(state) \(told)")
                    // Without a list only where the list is not in use: never for those who may have nothing.
                    #expect((result.entitlement == .allEditions) == allowed, "\(policy) \(state) \(told)")
                }
            }
        }
    }

    @Test("Unknown, suspended and stale readers have nothing under any policy")
    func nothing() {
        for policy in EntitlementPolicy.allCases {
            for state in [SubscriptionState.unknown, .suspended, .stale] {
                let grace = GraceRules(previousOfHeld: 9, newestForActive: 9)
                #expect(entitlement(policy, state, .editions([.first]), grace: grace) == .nothing)
            }
        }
    }

    @Test("Access-based: everything while active; what is listed and the free editions after")
    func access() {
        #expect(entitlement(.accessBased, .active) == .allEditions)
        #expect(entitlement(.accessBased, .inactive) == .editions([.third]))
        #expect(entitlement(.accessBased, .inactive, .allEditions) == .editions([.third]))
        #expect(entitlement(.accessBased, .inactive, .editions([.first])) == .editions([.first, .third]))
    }

    @Test("A list names no edition that is not out", arguments: EntitlementPolicy.allCases)
    func notOut(policy: EntitlementPolicy) {
        let unknown = EditionID("com.example.not-in-the-catalogue")!
        #expect(
            entitlement(policy, .inactive, .editions([.first, Self.fourth, unknown]))
                == .editions([.first, .third, unknown]))
    }

    @Test("Beginnings stand for the editions of the catalogue that begin so and are out")
    func prefixes() {
        for policy in EntitlementPolicy.allCases {
            let rule = EntitlementRule(policy: policy, catalogue: Self.catalogue)
            func list(_ beginnings: EditionBeginnings, _ state: SubscriptionState = .inactive) -> Entitlement {
                rule.apply(to: Subscription(state: state, beginnings: [beginnings]), at: .after(0)).entitlement
            }
            let all = EditionBeginnings(held: ["com.example."])
            #expect(list(all) == .editions([.first, .second, .third]))
            #expect(list(all, .suspended) == .nothing)
            #expect(
                list(EditionBeginnings(held: [EditionID.first.rawValue, "nowhere"])) == .editions([.first, .third]))
            #expect(
                list(EditionBeginnings(held: ["com.example."], except: [.first])) == .editions([.second, .third]))
            let longer = EditionBeginnings(held: [""], withheld: ["com.example.edition000"])
            #expect(list(longer) == .editions([.third]))
            #expect(list(EditionBeginnings(held: ["com.example.edition000"], withheld: [""])) == list(all))
        }
    }

    @Test("Issue-based: what is listed and what is free, whatever the state; \"everything\" is a mapping gone wrong")
    func issues() {
        for state in [SubscriptionState.active, .inactive] {
            #expect(entitlement(.issueBased, state, .editions([.first])) == .editions([.first, .third]))
            #expect(entitlement(.issueBased, state, .allEditions) == .editions([.third]))
        }
    }

    @Test("Period-based: what came out while the subscription ran, besides what is listed")
    func periods() {
        let period = [Period(start: .after(-250), end: .after(-150))]
        #expect(entitlement(.periodBased, .inactive, periods: period) == .editions([.second, .third]))
        #expect(
            entitlement(.periodBased, .active, .editions([.first]), periods: period)
                == .editions([.first, .second, .third]))
        #expect(entitlement(.periodBased, .active, .allEditions) == .editions([.third]))
    }

    @Test("Grace: editions before those held, and the newest for the active alone")
    func grace() {
        let rules = GraceRules(previousOfHeld: 1, newestForActive: 2)
        #expect(
            entitlement(.issueBased, .inactive, .editions([.second]), grace: rules)
                == .editions([.first, .second, .third]))
        #expect(entitlement(.issueBased, .active, grace: rules) == .editions([.second, .third]))
        #expect(entitlement(.issueBased, .inactive, grace: rules) == .editions([.third]))
    }
}
