import Foundation
import Gatefold
import TestSupport

/// Events in an order in which they come to something: by chance alone few histories get so far. What happens before and after is
/// left to chance, and so may any scene fail.
enum Scene: CaseIterable {
    case devices, outage, longOutage, resumption, end, period, purchase, refusal, oldGrant, renewal, haste

    static func random(_ random: inout SeededRandom) -> [Event] {
        let scene = allCases[Int.random(in: 0..<allCases.count, using: &random)]
        return beginning + scene.events(&random)
    }

    /// All is well, and the reader has just signed in: the latest token is the reader's.
    private static let beginning: [Event] = [
        .storeBreaks(false), .ledgerBreaks(false), .day(.good), .pass(20), .houseForgets(reader: 0, isForgotten: false),
        .signIn(reader: 0, secret: 0, device: nil, title: 0),
    ]

    private func events(_ random: inout SeededRandom) -> [Event] {
        let edition = Int.random(in: 0..<4, using: &random)
        let day = House.Day.allCases[Int.random(in: 1..<4, using: &random)]
        let policy = EntitlementPolicy.allCases[Int.random(in: 0..<4, using: &random)]
        let isActive = Bool.random(using: &random)
        let ask = Event.credentials(token: 0, edition: edition, title: 0)
        let check = Event.verify(token: 0, title: 0)
        let open: [Event] = [
            .houseDecides(reader: 0, edition: edition, nil),
            .houseSays(reader: 0, .active, .editions([Setting.asked[edition]]), periods: []), .flushReader(0),
        ]
        switch self {
        case .devices:
            return [0, 1, 2].shuffled(using: &random).map { .signIn(reader: 0, secret: 0, device: $0, title: 0) }
        case .outage: return open + [ask, check, .day(day), .pass(61), check, ask]
        case .longOutage:
            return [.reload(title: 0, policy, failsOpen: true), .day(day), .flushAll, ask, fetch(isResume: false)]
                + [.pass(700), fetch(isResume: isActive)]
        case .resumption:
            let passed = [3_590, 3_700, 5_300, 5_700][Int.random(in: 0..<4, using: &random)] as TimeInterval
            return open + [ask, .pass(passed), fetch(isResume: true), fetch(isResume: false)]
        case .end:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return open + [ask, fetch(isResume: false), end, fetch(isResume: false), fetch(isResume: true), check, ask]
        case .period:
            return [.reload(title: 0, .periodBased, failsOpen: false), .houseDecides(reader: 0, edition: edition, nil)]
                + [.houseSays(reader: 0, isActive ? .active : .inactive, .nothing, periods: Event.periods(&random))]
                + [.flushReader(0), check, ask]
        case .purchase:
            return [
                .houseSays(reader: 0, .inactive, .nothing, periods: []),
                .houseDecides(reader: 0, edition: edition, nil),
            ]
                + [.flushReader(0), .buy(reader: 0, editions: [Setting.asked[edition]]), check, ask]
        case .refusal:
            let state: SubscriptionState = isActive ? .suspended : .unknown
            return [.reload(title: 0, policy, failsOpen: true), .houseSays(reader: 0, state, .nothing, periods: [])]
                + [.flushReader(0), check, ask, .day(day), .pass(61), ask]
        case .oldGrant:
            // Refused under one policy, opened under another by an answer that may be older than the refusal.
            return open + [
                .houseSays(reader: 0, .active, .nothing, periods: []), .reload(title: 0, .issueBased, failsOpen: true),
            ]
                + [ask, .day(day), .pass(61), .reload(title: 0, .accessBased, failsOpen: true), ask, .flushAll, ask]
        case .renewal: return [.pass(isActive ? 7_300 : 14_500), .renew(token: 0, title: 0), check]
        case .haste:
            let change: Event = isActive ? .revoke(reader: 0, title: 0) : .flushReader(0)
            return [check, ask, check, .houseSays(reader: 0, .suspended, .nothing, periods: []), change, check, ask]
        }
    }

    private func fetch(isResume: Bool) -> Event {
        .download(credentials: 0, edition: nil, title: nil, isResume: isResume)
    }
}
