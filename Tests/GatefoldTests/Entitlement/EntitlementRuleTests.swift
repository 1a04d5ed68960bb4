import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Entitlement rule")
struct EntitlementRuleTests {
    static let fourth = EditionID("com.example.edition0004")!
    /// Editions 1 and 2 are past, 3 is free and 4 is in the future.
    static let catalogue = Catalogue([
        Edition(id: .first, title: "1", published: .after(-300)),
        Edition(id: .second, title: "2", published: .after(-200)),
        Edition(id: .third, title: "3", published: .after(-100), isFree: true),
        Edition(id: fourth, title: "4", published: .after(100)),
    ])

    private func entitlement(
        _ policy: EntitlementPolicy, _ state: SubscriptionState, _ reported: Entitlement = .nothing,
        periods: [Period] = [], grace: GraceRules = GraceRules()
    ) -> Entitlement {
        let rule = EntitlementRule(policy: policy, grace: grace, catalogue: Self.catalogue)
        return rule.apply(
            to: Subscription(state: state, entitlement: reported, periods: periods), at: .after(0)
        ).entitlement
    }

    @Test("Pitfall 1: grants all editions only to active readers where the policy allows it")
    func everything() {
        for policy in EntitlementPolicy.allCases {
            for state in SubscriptionState.allCases {
                for reported in [Entitlement.allEditions, .nothing, .editions([.first])] {
                    let rule = EntitlementRule(
                        policy: policy, grace: GraceRules(previousOfHeld: 2, newestForActive: 2),
                        catalogue: Self.catalogue)
                    let period = Period(start: .distantPast, end: nil)
                    let result = rule.apply(
                        to: Subscription(state: state, entitlement: reported, periods: [period]), at: .after(0))
                    let opensUnknown = result.opens(EditionID("com.example.not-in-the-catalogue")!)
                    let allowed =
                        state == .active
                        && (policy == .accessBased || policy == .backendDecides && reported == .allEditions)
                    #expect(opensUnknown == allowed, "\(policy) \(state) \(reported)")
                    // The list is absent only where the client does not use it, never for readers without any
                    // entitlement.
                    #expect((result.entitlement == .allEditions) == allowed, "\(policy) \(state) \(reported)")
                }
            }
        }
    }

    @Test("Unknown, suspended and stale readers get nothing under any policy")
    func nothing() {
        for policy in EntitlementPolicy.allCases {
            for state in [SubscriptionState.unknown, .suspended, .stale] {
                let grace = GraceRules(previousOfHeld: 9, newestForActive: 9)
                #expect(entitlement(policy, state, .editions([.first]), grace: grace) == .nothing)
            }
        }
    }

    @Test("Access-based: grants everything while active, then the listed and the free editions")
    func access() {
        #expect(entitlement(.accessBased, .active) == .allEditions)
        #expect(entitlement(.accessBased, .inactive) == .editions([.third]))
        #expect(entitlement(.accessBased, .inactive, .allEditions) == .editions([.third]))
        #expect(entitlement(.accessBased, .inactive, .editions([.first])) == .editions([.first, .third]))
    }

    @Test("The result lists no unpublished edition", arguments: EntitlementPolicy.allCases)
    func notOut(policy: EntitlementPolicy) {
        let unknown = EditionID("com.example.not-in-the-catalogue")!
        #expect(
            entitlement(policy, .inactive, .editions([.first, Self.fourth, unknown]))
                == .editions([.first, .third, unknown]))
    }

    @Test("Prefixes expand to the published editions of the catalogue that match")
    func prefixes() {
        for policy in EntitlementPolicy.allCases {
            let rule = EntitlementRule(policy: policy, catalogue: Self.catalogue)
            func list(_ editionPrefixes: EditionPrefixes, _ state: SubscriptionState = .inactive) -> Entitlement {
                rule.apply(to: Subscription(state: state, editionPrefixes: [editionPrefixes]), at: .after(0))
                    .entitlement
            }
            let all = EditionPrefixes(held: ["com.example."])
            #expect(list(all) == .editions([.first, .second, .third]))
            #expect(list(all, .suspended) == .nothing)
            #expect(
                list(EditionPrefixes(held: [EditionID.first.rawValue, "nowhere"])) == .editions([.first, .third]))
            #expect(
                list(EditionPrefixes(held: ["com.example."], except: [.first])) == .editions([.second, .third]))
            let longer = EditionPrefixes(held: [""], withheld: ["com.example.edition000"])
            #expect(list(longer) == .editions([.third]))
            #expect(list(EditionPrefixes(held: ["com.example.edition000"], withheld: [""])) == list(all))
        }
    }

    @Test("Issue-based: grants listed and free editions in any state, and ignores a reported \"everything\"")
    func issues() {
        for state in [SubscriptionState.active, .inactive] {
            #expect(entitlement(.issueBased, state, .editions([.first])) == .editions([.first, .third]))
            #expect(entitlement(.issueBased, state, .allEditions) == .editions([.third]))
        }
    }

    @Test("Period-based: grants listed editions and those published during the subscription")
    func periods() {
        let period = [Period(start: .after(-250), end: .after(-150))]
        #expect(entitlement(.periodBased, .inactive, periods: period) == .editions([.second, .third]))
        #expect(
            entitlement(.periodBased, .active, .editions([.first]), periods: period)
                == .editions([.first, .second, .third]))
        #expect(entitlement(.periodBased, .active, .allEditions) == .editions([.third]))
    }

    @Test("Grace: adds the editions before those held, and the newest editions for active readers only")
    func grace() {
        let rules = GraceRules(previousOfHeld: 1, newestForActive: 2)
        #expect(
            entitlement(.issueBased, .inactive, .editions([.second]), grace: rules)
                == .editions([.first, .second, .third]))
        #expect(entitlement(.issueBased, .active, grace: rules) == .editions([.second, .third]))
        #expect(entitlement(.issueBased, .inactive, grace: rules) == .editions([.third]))
    }
}
