import Foundation
import Gatefold
import TestSupport

/// Events in an order in which they come to something: by chance alone few histories get so far. What happens before and after is
/// left to chance, and so may any scene fail.
enum Scene: CaseIterable {
    case devices, outage, longOutage, resumption, end, period, purchase, refusal, oldGrant, renewal, haste
    case lifetimes, clock, clockSession, clockRefusal, otherEnds, otherPassword, otherRefusal, lookAlike, madeUp

    static func random(_ random: inout SeededRandom) -> [Event] {
        let scene = allCases[Int.random(in: 0..<allCases.count, using: &random)]
        return beginning + scene.events(&random)
    }

    /// All is well, and the reader has just signed in: the latest token is the reader's.
    private static let beginning: [Event] = [
        .turn(process: 0), .clock(0), .storeBreaks(false), .ledgerBreaks(false), .day(.good), .pass(20),
        .houseForgets(reader: 0, isForgotten: false),
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
        case .lifetimes:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                [.lifetimes(title: 0, number: 2), .signIn(reader: 0, secret: 0, device: nil, title: 0)], open,
                [ask], [end, .lifetimes(title: 0, number: 1)].shuffled(using: &random),
                [.pass(38 * 86_400), check, ask, fetch(isResume: false)],
                [.lifetimes(title: 0, number: 0)])
        case .clock:
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                open, [ask, end, .clock(error), .pass(20), check, .restart, .pass(2), .clock(0), .pass(20)],
                [check, ask, fetch(isResume: false)])
        case .clockSession:
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                open, [.clock(error), .signIn(reader: 0, secret: 0, device: nil, title: 0), ask, .clock(0), end],
                [check, ask, .pass(2), check, ask, fetch(isResume: false)])
        case .clockRefusal:
            // Let in while the clock is wrong, and refused when it is right again.
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let refused = Event.houseSays(reader: 0, isActive ? .suspended : .inactive, .nothing, periods: [])
            return Self.all(
                [.reload(title: 0, .issueBased, failsOpen: true), .clock(error), refused, .flushReader(0), check, ask],
                open, [check, ask, .pass(3), .clock(0), refused, .pass(61), check, ask, .day(day), .restart, ask])
        case .otherEnds:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                [.turn(process: 1), check, ask, .turn(process: 0), end, .turn(process: 1), check, ask, .pass(3)],
                [check, ask, fetch(isResume: false)])
        case .otherPassword:
            let right = Event.signIn(reader: 0, secret: 0, device: nil, title: 0)
            return Self.all(
                [.turn(process: 1), right, .pass(61), .houseChangesPassword(reader: 0, secret: 1)],
                [.turn(process: 0), .signIn(reader: 0, secret: 1, device: nil, title: 0)],
                [.turn(process: 1), .day(day), right, .pass(3), right, check],
                [.day(.good), .houseChangesPassword(reader: 0, secret: 0)])
        case .otherRefusal:
            let state: SubscriptionState = isActive ? .suspended : .inactive
            let isOpen = Int.random(in: 0..<3, using: &random) > 0
            return Self.all(
                open,
                [
                    .pass(3), .reload(title: 0, policy, failsOpen: isOpen), .turn(process: 1), ask, .turn(process: 0),
                    ask,
                ],
                [.houseSays(reader: 0, state, .nothing, periods: []), .pass(61), check, ask],
                [.turn(process: 1), .day(day), ask, .pass(3), ask, .restart, ask])
        case .lookAlike:
            let names = Setting.spellings[0].indices.shuffled(using: &random)
            func signIn(_ spelling: Int, _ secret: Int) -> Event {
                .signIn(reader: 0, secret: secret, spelling: spelling, device: nil, title: 0)
            }
            return Self.all(
                [signIn(names[0], 0), signIn(names[1], 0), .houseChangesPassword(reader: 0, secret: 1)],
                [.pass(61), signIn(names[2], 1), .day(day), signIn(names[0], 0), signIn(names[1], 0)],
                [.pass(61), signIn(names[0], 0), signIn(names[2], 1), .day(.good)],
                [.houseChangesPassword(reader: 0, secret: 0)])
        case .madeUp:
            let other = Event.credentials(token: 1, edition: edition, title: 0)
            let closedEdition = (edition + 1) % 4
            let closed = Event.credentials(token: 1, edition: closedEdition, title: 0)
            let own = Event.credentials(token: 0, edition: closedEdition, title: 0)
            return Self.all(
                [.signIn(reader: 1, secret: 0, device: nil, title: 0)],
                [.signIn(reader: 0, secret: 0, device: nil, title: 0)],
                [.reload(title: 0, isActive ? .backendDecides : policy, failsOpen: true)],
                [.houseForgets(reader: 1, isForgotten: false)],
                [.houseDecides(reader: 1, edition: edition, .granted)],
                [.houseDecides(reader: 1, edition: closedEdition, .refused(.notEntitled, message: nil))],
                [.houseDecides(reader: 0, edition: closedEdition, .refused(.notEntitled, message: nil))],
                [.houseSays(reader: 1, .active, .editions([Setting.asked[edition]]), periods: []), .flushReader(1)],
                [other, closed, own, .askForMadeUp(token: 0, title: 0), .day(day), .pass(61), other, closed, own, ask])
        case .haste:
            let change: Event = isActive ? .revoke(reader: 0, title: 0) : .flushReader(0)
            return [check, ask, check, .houseSays(reader: 0, .suspended, .nothing, periods: []), change, check, ask]
        }
    }

    private static func all(_ parts: [Event]...) -> [Event] { parts.flatMap(\.self) }

    private func fetch(isResume: Bool) -> Event {
        .download(credentials: 0, edition: nil, title: nil, isResume: isResume)
    }
}
