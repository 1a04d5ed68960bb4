import Foundation
import Gatefold
import TestSupport

/// Something that happens. Tokens and credentials are named by how many were given out after them, modulo how many there are, so
/// that a history with events left out is a history still.
enum Event: Sendable {
    /// - Parameters:
    ///   - secret: an index into ``passwords``.
    ///   - spelling: of the reader's name, an index into ``Setting/spellings``.
    case signIn(reader: Int, secret: Int, spelling: Int = 0, device: Int?, title: Int)
    /// - Parameter token: nil for none, -1 for nonsense.
    case verify(token: Int?, title: Int)
    case credentials(token: Int?, edition: Int, title: Int)
    /// A reader asks for hundreds of editions that there are not.
    case askForMadeUp(token: Int, title: Int)
    case renew(token: Int?, title: Int)
    case signOut(token: Int?, title: Int)
    /// - Parameter edition: nil for the credentials' own.
    case download(credentials: Int, edition: Int?, title: Int?, isResume: Bool)
    case houseSays(reader: Int, SubscriptionState, Entitlement, periods: [Period])
    case houseDecides(reader: Int, edition: Int, EditionVerdict?)
    case houseChangesPassword(reader: Int, secret: Int)
    case houseForgets(reader: Int, isForgotten: Bool)
    case day(House.Day)
    case pass(TimeInterval)
    /// The machine's clock is set: so far ahead, in seconds, of what it should say.
    case clock(TimeInterval)
    /// What follows goes to that process.
    case turn(process: Int)
    case buy(reader: Int, editions: Set<EditionID>)
    case ledgerBreaks(Bool)
    case storeBreaks(Bool)
    case revoke(reader: Int, title: Int)
    case flushAll
    case flushReader(Int)
    case flushIdentifier(Int)
    case reload(title: Int, EntitlementPolicy, failsOpen: Bool)
    /// - Parameter number: an index into ``Setting/lifetimes``.
    case lifetimes(title: Int, number: Int)
    case replaceBackend
    case restart
    case catalogueComes

    /// An hour, 100 days, a year, ahead or behind; mostly none.
    static let clockErrors: [TimeInterval] = [
        3_600, -3_600, 8_640_000, -8_640_000, 31_536_000, -31_536_000, 0, 0, 0, 0,
    ]
    static let passwords = ["right", "newer", "wrong"]

    static func random(_ random: inout SeededRandom) -> Event {
        func number(_ most: Int) -> Int { Int.random(in: 0..<most, using: &random) }
        func title() -> Int { number(4) == 0 ? 1 : 0 }
        func reader() -> Int { number(4) == 0 ? 1 : 0 }
        func edition() -> Int { number(2) == 0 ? number(3) : number(Setting.asked.count) }
        func token() -> Int? { number(12) == 0 ? (number(2) == 0 ? nil : -1) : number(6) }
        switch number(108) {
        case 0..<10:
            return .signIn(
                reader: reader(), secret: number(8) == 0 ? number(3) : 0,
                spelling: number(6) == 0 ? number(Setting.spellings[0].count) : 0,
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
        case 58..<67: return houseSays(reader(), &random)
        case 67..<70:
            let verdicts: [EditionVerdict?] = [
                nil, .granted, .granted, .refused(.notEntitled, message: nil), .refused(.notRecognised, message: nil),
                .refused(.expired, message: nil), .refused(nil, message: "no"),
            ]
            return .houseDecides(reader: reader(), edition: edition(), verdicts[number(verdicts.count)])
        case 70: return .houseChangesPassword(reader: reader(), secret: number(2))
        case 71: return .houseForgets(reader: reader(), isForgotten: number(3) != 0)
        case 72..<80: return .day(number(2) == 0 ? .good : House.Day.allCases[number(4)])
        case 80..<91:
            let times: [TimeInterval] = [0.4, 1, 4, 6, 20, 61, 61, 700, 1_800, 3_700, 7_300, 90_000]
            return .pass(times[number(times.count)])
        case 91: return .buy(reader: reader(), editions: Set(Setting.sold.shuffled(using: &random).prefix(number(3))))
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
        case 104: return .lifetimes(title: title(), number: number(Setting.lifetimes.count))
        case 105: return .restart
        case 106: return .pass([2, 2, 40 * 86_400][number(3)])
        default: return .catalogueComes
        }
    }

    private static func houseSays(_ reader: Int, _ random: inout SeededRandom) -> Event {
        let states: [SubscriptionState] = [.active, .active, .inactive, .inactive, .suspended, .stale, .unknown]
        let lists: [Entitlement] = [
            .nothing, .allEditions, .editions(Set(Setting.asked.shuffled(using: &random).prefix(2))),
            .editions(Set(Setting.sold.prefix(1))),
        ]
        return .houseSays(
            reader: reader, states[Int.random(in: 0..<states.count, using: &random)],
            lists[Int.random(in: 0..<lists.count, using: &random)],
            periods: periods(&random))
    }

    static func periods(_ random: inout SeededRandom) -> [Period] {
        let periods: [[Period]] = [
            [], [], [period(-40, -3)],
            // From the moment of one edition to that of another.
            [period(-60, -30)], [period(-30, -10)], [period(-59, -31), period(-10, -1)],
            [period(-30, nil)],
        ]
        return periods[Int.random(in: 0..<periods.count, using: &random)]
    }

    private static func period(_ start: Double, _ end: Double?) -> Period {
        Period(start: Setting.after(days: start), end: end.map { Setting.after(days: $0) })
    }
}

/// What happens in a setting, from the first sign-in on.
struct History: Sendable, CustomStringConvertible {
    let seed: UInt64
    var setting: Setting
    var events: [Event]

    /// - Parameter length: the most events, a scene counting as one.
    static func random(_ seed: UInt64, length: Int) -> History {
        var random = SeededRandom(seed: seed)
        let setting = Setting.random(&random)
        var events = [Event.signIn(reader: 0, secret: 0, device: nil, title: 0)]
        for _ in 0..<Int.random(in: 6...length, using: &random) {
            if Int.random(in: 0..<9, using: &random) == 0 {
                events += Scene.random(&random)
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
