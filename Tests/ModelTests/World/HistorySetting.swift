import AccessModel
import Foundation
import Gatefold
import TestSupport

/// The random setting of a history: two publications with one subscriber system, served by one or two processes.
struct HistorySetting: Sendable, CustomStringConvertible {
    struct Title: Sendable {
        let id: PublicationID
        var policy: EntitlementPolicy
        var grace: GraceRules
        var failsOpen: Bool
        var hasStore: Bool
        var saltFormat: SaltFormat
        var catalogueChoice: CatalogueChoice
        var deviceLimit: DeviceLimit?
        var lifetimes = HistorySetting.lifetimes[0]
    }

    enum CatalogueChoice: Sendable, CaseIterable {
        case full, none, pending
    }

    var titles: [Title]
    var opensSessions: Bool
    var decidesEditions: Bool
    /// Whether the subscriber system treats look-alike names as equal.
    var foldsNames: Bool
    /// The number of processes on one state store.
    var processes: Int
    /// Whether the state is in a real database.
    var isOnDisk: Bool

    static let readers = ["ada", "bob"]
    /// Each reader's name and the spellings that some databases treat as equal.
    static let spellings = [
        ["ada", " ADA ", "ádá", "ａｄａ", "a\u{AD}da"],
        ["bob", "Bob", "bób", "ｂｏｂ", "bo\u{200B}b"],
    ]
    /// Default, shorter and longer lifetimes.
    static let lifetimes = [
        Lifetimes(
            token: 7_200, renewalWindow: 7_200, editionCredentials: 3_600, failOpenCredentials: 600,
            resumeWindow: 1_800),
        Lifetimes(
            token: 1_800, renewalWindow: 600, editionCredentials: 900, failOpenCredentials: 300, resumeWindow: 300),
        Lifetimes(
            token: 60 * 86_400, renewalWindow: 30 * 86_400, editionCredentials: 50 * 86_400,
            failOpenCredentials: 600, resumeWindow: 20 * 86_400),
    ]
    static let start = ManualClock().now

    /// Every kind of edition. One is published during the history.
    static let editions: [Edition] = [
        Edition(id: id("ed-1"), title: "One", published: after(days: -60)),
        Edition(id: id("ed-2"), title: "Two", published: after(days: -30)),
        Edition(id: id("ed-3"), title: "Three", published: after(days: -1)),
        Edition(id: id("ed-gone"), title: "Withdrawn", published: after(days: -10), withdrawn: after(days: -2)),
        Edition(id: id("ed-free"), title: "Free", published: after(days: -20), isFree: true),
        Edition(id: id("ed-soon"), title: "Soon", published: after(days: 0.01)),
        Edition(id: id("ed-soon-free"), title: "Soon free", published: after(days: 0.02), isFree: true),
        Edition(id: id("ed-draft"), title: "Draft", published: after(days: -5), isDraft: true),
    ]

    /// The catalogue's editions and an unknown one.
    static let queried: [EditionID] = editions.map(\.id) + [id("ed-other")]
    static let sold: [EditionID] = [id("ed-1"), id("ed-2"), id("ed-3"), id("ed-gone")]

    static func after(days: Double) -> Date { start.addingTimeInterval(days * 86_400) }

    private static func id(_ text: String) -> EditionID {
        guard let id = EditionID(text) else { fatalError("\(text) is not an edition ID") }
        return id
    }

    static func random(_ random: inout SeededRandom) -> HistorySetting {
        let catalogueChoice =
            [.full, .full, .full, .none, .pending][Int.random(in: 0..<5, using: &random)] as CatalogueChoice
        let titles = ["daily", "weekly"].compactMap { PublicationID($0) }.map { id in
            Title(
                id: id, policy: EntitlementPolicy.allCases[Int.random(in: 0..<4, using: &random)],
                grace: GraceRules(
                    previousOfHeld: Int.random(in: 0...1, using: &random),
                    newestForActive: Int.random(in: 0...1, using: &random)),
                failsOpen: Bool.random(using: &random),
                hasStore: catalogueChoice != .pending && Int.random(in: 0..<3, using: &random) == 0,
                saltFormat: Int.random(in: 0..<4, using: &random) == 0 ? .plain : .sealed,
                catalogueChoice: catalogueChoice,
                deviceLimit: Bool.random(using: &random)
                    ? DeviceLimit(maxDevices: 2, onLimit: Bool.random(using: &random) ? .evict : .reject) : nil)
        }
        return HistorySetting(
            titles: titles, opensSessions: Int.random(in: 0..<3, using: &random) == 0,
            decidesEditions: Bool.random(using: &random), foldsNames: Int.random(in: 0..<3, using: &random) == 0,
            processes: Int.random(in: 0..<3, using: &random) == 0 ? 2 : 1,
            isOnDisk: Int.random(in: 0..<12, using: &random) == 0)
    }

    var description: String {
        let each = titles.map {
            "\($0.id): \($0.policy), \($0.grace), fails \($0.failsOpen ? "open" : "closed"), catalogue \($0.catalogueChoice), "
                + "\($0.saltFormat) salts, \($0.hasStore ? "sells editions" : "no sales"), devices \($0.deviceLimit as Any)"
        }
        let subscriberSystem =
            "subscriber system: sessions \(opensSessions), verdicts \(decidesEditions), folds names \(foldsNames)"
        return (each + [subscriberSystem, "processes: \(processes), state \(isOnDisk ? "on disk" : "in memory")"])
            .joined(separator: "\n")
    }
}

extension AccessModel {
    init(_ title: HistorySetting.Title) {
        self.init(
            policy: title.policy, grace: title.grace,
            editions: title.catalogueChoice == .full ? HistorySetting.editions : nil,
            isPending: title.catalogueChoice == .pending, failsOpen: title.failsOpen)
    }
}
