import Foundation
import Gatefold
import TestSupport

/// Sequences of events with a known effect, which few random histories reach. The events before and after are random,
/// so any template may fail to have its effect.
enum HistoryTemplate: CaseIterable {
    case devices, outage, longOutage, resumption, end, period, purchase, rejection, oldGrant, renewal, haste
    case lifetimes, clock, clockSession, clockDenial, otherEnds, otherPassword, otherDenial, lookAlike, madeUp

    static func random(_ random: inout SeededRandom) -> [Event] {
        let template = allCases[Int.random(in: 0..<allCases.count, using: &random)]
        return beginning + template.events(&random)
    }

    /// A working setting in which the reader has just signed in and owns the latest token.
    private static let beginning: [Event] = [
        .turn(process: 0), .clock(0), .storeBreaks(false), .ledgerBreaks(false), .day(.good), .pass(20),
        .subscriberSystemRemovesReader(reader: 0, isRemoved: false),
        .signIn(reader: 0, secret: 0, device: nil, title: 0),
    ]

    private func events(_ random: inout SeededRandom) -> [Event] {
        let edition = Int.random(in: 0..<4, using: &random)
        let day = FakeSubscriberSystem.SystemCondition.allCases[Int.random(in: 1..<4, using: &random)]
        let policy = EntitlementPolicy.allCases[Int.random(in: 0..<4, using: &random)]
        let isActive = Bool.random(using: &random)
        let requestCredentials = Event.credentials(token: 0, edition: edition, title: 0)
        let check = Event.verify(token: 0, title: 0)
        let open: [Event] = [
            .subscriberSystemDecides(reader: 0, edition: edition, nil),
            .subscriberSystemReports(reader: 0, .active, .editions([HistorySetting.queried[edition]]), periods: []),
            .flushReader(0),
        ]
        switch self {
        case .devices:
            return [0, 1, 2].shuffled(using: &random).map { .signIn(reader: 0, secret: 0, device: $0, title: 0) }
        case .outage: return open + [requestCredentials, check, .day(day), .pass(61), check, requestCredentials]
        case .longOutage:
            return [
                .reload(title: 0, policy, failsOpen: true), .day(day), .flushAll, requestCredentials,
                fetch(isResume: false),
            ]
                + [.pass(700), fetch(isResume: isActive)]
        case .resumption:
            let passed = [3_590, 3_700, 5_300, 5_700][Int.random(in: 0..<4, using: &random)] as TimeInterval
            return open + [requestCredentials, .pass(passed), fetch(isResume: true), fetch(isResume: false)]
        case .end:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return open + [
                requestCredentials, fetch(isResume: false), end, fetch(isResume: false), fetch(isResume: true), check,
                requestCredentials,
            ]
        case .period:
            return [
                .reload(title: 0, .periodBased, failsOpen: false),
                .subscriberSystemDecides(reader: 0, edition: edition, nil),
            ]
                + [
                    .subscriberSystemReports(
                        reader: 0, isActive ? .active : .inactive, .nothing, periods: Event.periods(&random))
                ]
                + [.flushReader(0), check, requestCredentials]
        case .purchase:
            return [
                .subscriberSystemReports(reader: 0, .inactive, .nothing, periods: []),
                .subscriberSystemDecides(reader: 0, edition: edition, nil),
            ]
                + [
                    .flushReader(0), .buy(reader: 0, editions: [HistorySetting.queried[edition]]), check,
                    requestCredentials,
                ]
        case .rejection:
            let state: SubscriptionState = isActive ? .suspended : .unknown
            return [
                .reload(title: 0, policy, failsOpen: true),
                .subscriberSystemReports(reader: 0, state, .nothing, periods: []),
            ]
                + [.flushReader(0), check, requestCredentials, .day(day), .pass(61), requestCredentials]
        case .oldGrant:
            // Denied under one policy, granted under another by a result that may be older than the denial.
            return open + [
                .subscriberSystemReports(reader: 0, .active, .nothing, periods: []),
                .reload(title: 0, .issueBased, failsOpen: true),
            ]
                + [
                    requestCredentials, .day(day), .pass(61), .reload(title: 0, .accessBased, failsOpen: true),
                    requestCredentials, .flushAll, requestCredentials,
                ]
        case .renewal: return [.pass(isActive ? 7_300 : 14_500), .renew(token: 0, title: 0), check]
        case .lifetimes:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                [.lifetimes(title: 0, number: 2), .signIn(reader: 0, secret: 0, device: nil, title: 0)], open,
                [requestCredentials], [end, .lifetimes(title: 0, number: 1)].shuffled(using: &random),
                [.pass(38 * 86_400), check, requestCredentials, fetch(isResume: false)],
                [.lifetimes(title: 0, number: 0)])
        case .clock:
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                open,
                [requestCredentials, end, .clock(error), .pass(20), check, .restart, .pass(2), .clock(0), .pass(20)],
                [check, requestCredentials, fetch(isResume: false)])
        case .clockSession:
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                open,
                [
                    .clock(error), .signIn(reader: 0, secret: 0, device: nil, title: 0), requestCredentials, .clock(0),
                    end,
                ],
                [check, requestCredentials, .pass(2), check, requestCredentials, fetch(isResume: false)])
        case .clockDenial:
            // Granted while the clock is wrong, and denied when it is right again.
            let error = Event.clockErrors[Int.random(in: 0..<6, using: &random)]
            let rejected = Event.subscriberSystemReports(
                reader: 0, isActive ? .suspended : .inactive, .nothing, periods: [])
            return Self.all(
                [
                    .reload(title: 0, .issueBased, failsOpen: true), .clock(error), rejected, .flushReader(0), check,
                    requestCredentials,
                ],
                open,
                [
                    check, requestCredentials, .pass(3), .clock(0), rejected, .pass(61), check, requestCredentials,
                    .day(day), .restart, requestCredentials,
                ])
        case .otherEnds:
            let end = isActive ? Event.signOut(token: 0, title: 0) : .revoke(reader: 0, title: 0)
            return Self.all(
                [
                    .turn(process: 1), check, requestCredentials, .turn(process: 0), end, .turn(process: 1), check,
                    requestCredentials, .pass(3),
                ],
                [check, requestCredentials, fetch(isResume: false)])
        case .otherPassword:
            let right = Event.signIn(reader: 0, secret: 0, device: nil, title: 0)
            return Self.all(
                [.turn(process: 1), right, .pass(61), .subscriberSystemChangesPassword(reader: 0, secret: 1)],
                [.turn(process: 0), .signIn(reader: 0, secret: 1, device: nil, title: 0)],
                [.turn(process: 1), .day(day), right, .pass(3), right, check],
                [.day(.good), .subscriberSystemChangesPassword(reader: 0, secret: 0)])
        case .otherDenial:
            let state: SubscriptionState = isActive ? .suspended : .inactive
            let isOpen = Int.random(in: 0..<3, using: &random) > 0
            return Self.all(
                open,
                [
                    .pass(3), .reload(title: 0, policy, failsOpen: isOpen), .turn(process: 1), requestCredentials,
                    .turn(process: 0),
                    requestCredentials,
                ],
                [
                    .subscriberSystemReports(reader: 0, state, .nothing, periods: []), .pass(61), check,
                    requestCredentials,
                ],
                [
                    .turn(process: 1), .day(day), requestCredentials, .pass(3), requestCredentials, .restart,
                    requestCredentials,
                ])
        case .lookAlike:
            let names = HistorySetting.spellings[0].indices.shuffled(using: &random)
            func signIn(_ spelling: Int, _ secret: Int) -> Event {
                .signIn(reader: 0, secret: secret, spelling: spelling, device: nil, title: 0)
            }
            return Self.all(
                [signIn(names[0], 0), signIn(names[1], 0), .subscriberSystemChangesPassword(reader: 0, secret: 1)],
                [.pass(61), signIn(names[2], 1), .day(day), signIn(names[0], 0), signIn(names[1], 0)],
                [.pass(61), signIn(names[0], 0), signIn(names[2], 1), .day(.good)],
                [.subscriberSystemChangesPassword(reader: 0, secret: 0)])
        case .madeUp:
            let other = Event.credentials(token: 1, edition: edition, title: 0)
            let closedEdition = (edition + 1) % 4
            let closed = Event.credentials(token: 1, edition: closedEdition, title: 0)
            let own = Event.credentials(token: 0, edition: closedEdition, title: 0)
            return Self.all(
                [.signIn(reader: 1, secret: 0, device: nil, title: 0)],
                [.signIn(reader: 0, secret: 0, device: nil, title: 0)],
                [.reload(title: 0, isActive ? .backendDecides : policy, failsOpen: true)],
                [.subscriberSystemRemovesReader(reader: 1, isRemoved: false)],
                [.subscriberSystemDecides(reader: 1, edition: edition, .granted)],
                [.subscriberSystemDecides(reader: 1, edition: closedEdition, .rejected(.notEntitled, message: nil))],
                [.subscriberSystemDecides(reader: 0, edition: closedEdition, .rejected(.notEntitled, message: nil))],
                [
                    .subscriberSystemReports(
                        reader: 1, .active, .editions([HistorySetting.queried[edition]]), periods: []),
                    .flushReader(1),
                ],
                [
                    other, closed, own, .requestUnknownEdition(token: 0, title: 0), .day(day), .pass(61), other, closed,
                    own, requestCredentials,
                ])
        case .haste:
            let change: Event = isActive ? .revoke(reader: 0, title: 0) : .flushReader(0)
            return [
                check, requestCredentials, check,
                .subscriberSystemReports(reader: 0, .suspended, .nothing, periods: []), change,
                check, requestCredentials,
            ]
        }
    }

    private static func all(_ parts: [Event]...) -> [Event] { parts.flatMap(\.self) }

    private func fetch(isResume: Bool) -> Event {
        .download(credentials: 0, edition: nil, title: nil, isResume: isResume)
    }
}
