import Foundation
import Gatefold
import TestSupport

/// An event of a history. Tokens and credentials are identified by the number of later ones, modulo their count, so
/// that a history remains valid if events are removed.
enum Event: Sendable {
    /// - Parameters:
    ///   - secret: An index into ``passwords``.
    ///   - spelling: An index into ``HistorySetting/spellings`` for the reader's name.
    case signIn(reader: Int, secret: Int, spelling: Int = 0, device: Int?, title: Int)
    /// - Parameter token: Nil for none, -1 for an invalid one.
    case verify(token: Int?, title: Int)
    case credentials(token: Int?, edition: Int, title: Int)
    /// A reader requests hundreds of editions that do not exist.
    case requestUnknownEdition(token: Int, title: Int)
    case renew(token: Int?, title: Int)
    case signOut(token: Int?, title: Int)
    /// - Parameter edition: Nil for the credentials' own.
    case download(credentials: Int, edition: Int?, title: Int?, isResume: Bool)
    case subscriberSystemReports(reader: Int, SubscriptionState, Entitlement, periods: [Period])
    case subscriberSystemDecides(reader: Int, edition: Int, EditionVerdict?)
    case subscriberSystemChangesPassword(reader: Int, secret: Int)
    case subscriberSystemRemovesReader(reader: Int, isRemoved: Bool)
    case day(FakeSubscriberSystem.SystemCondition)
    case pass(TimeInterval)
    /// The machine's clock is set ahead of the true time by a number of seconds.
    case clock(TimeInterval)
    /// The following calls go to that process.
    case turn(process: Int)
    case buy(reader: Int, editions: Set<EditionID>)
    case ledgerBreaks(Bool)
    case storeBreaks(Bool)
    case revoke(reader: Int, title: Int)
    case flushAll
    case flushReader(Int)
    case flushIdentifier(Int)
    case reload(title: Int, EntitlementPolicy, failsOpen: Bool)
    /// - Parameter number: An index into ``HistorySetting/lifetimes``.
    case lifetimes(title: Int, number: Int)
    case replaceBackend
    case restart
    case catalogueLoads

    /// An hour, 100 days or a year, ahead or behind. Mostly none.
    static let clockErrors: [TimeInterval] = [
        3_600, -3_600, 8_640_000, -8_640_000, 31_536_000, -31_536_000, 0, 0, 0, 0,
    ]
    static let passwords = ["right", "newer", "wrong"]

    static func random(_ random: inout SeededRandom) -> Event {
        func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        func title() -> Int { number(4) == 0 ? 1 : 0 }
        func reader() -> Int { number(4) == 0 ? 1 : 0 }
        func edition() -> Int { number(2) == 0 ? number(3) : number(HistorySetting.queried.count) }
        func token() -> Int? { number(12) == 0 ? (number(2) == 0 ? nil : -1) : number(6) }
        switch number(108) {
        case 0..<10:
            return .signIn(
                reader: reader(), secret: number(8) == 0 ? number(3) : 0,
                spelling: number(6) == 0 ? number(HistorySetting.spellings[0].count) : 0,
                device: number(2) == 0 ? number(4) : nil, title: title())
        case 10..<25: return .verify(token: token(), title: title())
        case 25..<46: return .credentials(token: token(), edition: edition(), title: title())
        case 46..<49: return .renew(token: token(), title: title())
        case 49..<51: return .signOut(token: token(), title: title())
        case 51..<58:
            return .download(
                credentials: number(6), edition: number(3) == 0 ? edition() : nil,
                title: number(6) == 0 ? title() : nil,
                isResume: number(2) == 0)
        case 58..<67: return subscriberSystemReports(reader(), &random)
        case 67..<70:
            let verdicts: [EditionVerdict?] = [
                nil, .granted, .granted, .rejected(.notEntitled, message: nil), .rejected(.rejected, message: nil),
                .rejected(.expired, message: nil), .rejected(nil, message: "no"),
            ]
            return .subscriberSystemDecides(reader: reader(), edition: edition(), verdicts[number(verdicts.count)])
        case 70: return .subscriberSystemChangesPassword(reader: reader(), secret: number(2))
        case 71: return .subscriberSystemRemovesReader(reader: reader(), isRemoved: number(3) != 0)
        case 72..<80: return .day(number(2) == 0 ? .good : FakeSubscriberSystem.SystemCondition.allCases[number(4)])
        case 80..<91:
            let times: [TimeInterval] = [0.4, 1, 4, 6, 20, 61, 61, 700, 1_800, 3_700, 7_300, 90_000]
            return .pass(times[number(times.count)])
        case 91:
            return .buy(reader: reader(), editions: Set(HistorySetting.sold.shuffled(using: &random).prefix(number(3))))
        case 92: return .ledgerBreaks(number(2) == 0)
        case 93: return .storeBreaks(number(2) == 0)
        case 94: return .revoke(reader: reader(), title: title())
        case 95: return [.flushAll, .flushReader(reader()), .flushIdentifier(reader())][number(3)]
        case 96, 97:
            return .reload(
                title: title(), EntitlementPolicy.allCases[number(EntitlementPolicy.allCases.count)],
                failsOpen: number(2) == 0)
        case 98: return number(2) == 0 ? .replaceBackend : .restart
        case 99..<103: return .turn(process: number(2))
        case 103: return .clock(clockErrors[number(clockErrors.count)])
        case 104: return .lifetimes(title: title(), number: number(HistorySetting.lifetimes.count))
        case 105: return .restart
        case 106: return .pass([2, 2, 40 * 86_400][number(3)])
        default: return .catalogueLoads
        }
    }

    private static func subscriberSystemReports(_ reader: Int, _ random: inout SeededRandom) -> Event {
        let states: [SubscriptionState] = [.active, .active, .inactive, .inactive, .suspended, .stale, .unknown]
        let lists: [Entitlement] = [
            .nothing, .allEditions, .editions(Set(HistorySetting.queried.shuffled(using: &random).prefix(2))),
            .editions(Set(HistorySetting.sold.prefix(1))),
        ]
        return .subscriberSystemReports(
            reader: reader, states[Int.random(in: 0..<states.count, using: &random)],
            lists[Int.random(in: 0..<lists.count, using: &random)],
            periods: periods(&random))
    }

    static func periods(_ random: inout SeededRandom) -> [Period] {
        let periods: [[Period]] = [
            [], [], [period(-40, -3)],
            // From the publication date of one edition to that of another.
            [period(-60, -30)], [period(-30, -10)], [period(-59, -31), period(-10, -1)],
            [period(-30, nil)],
        ]
        return periods[Int.random(in: 0..<periods.count, using: &random)]
    }

    private static func period(_ start: Double, _ end: Double?) -> Period {
        Period(start: HistorySetting.after(days: start), end: end.map { HistorySetting.after(days: $0) })
    }
}

/// The events in a setting, from the first sign-in on.
struct History: Sendable, CustomStringConvertible {
    let seed: UInt64
    var setting: HistorySetting
    var events: [Event]

    /// - Parameter length: The maximum number of events. A template counts as one.
    static func random(_ seed: UInt64, length: Int) -> History {
        var random = SeededRandom(seed: seed)
        let setting = HistorySetting.random(&random)
        var events = [Event.signIn(reader: 0, secret: 0, device: nil, title: 0)]
        for _ in 0..<Int.random(in: 6...length, using: &random) {
            if Int.random(in: 0..<9, using: &random) == 0 {
                events += HistoryTemplate.random(&random)
            } else {
                events.append(.random(&random))
            }
        }
        return History(seed: seed, setting: setting, events: events)
    }

    var description: String {
        (["seed \(seed)", "\(setting)"] + events.enumerated().map { "  \($0 + 1). \($1)" }).joined(separator: "\n")
    }
}
