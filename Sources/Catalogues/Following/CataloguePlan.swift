package import Foundation
package import Gatefold
package import Settings

/// The settings for following a catalogue source, and the rules for accepting its response.
package struct CataloguePlan: Sendable {
    package let kind: any CatalogueSourceKind
    /// The interval between two fetches in seconds. Each wait is up to 10 % longer at random, so that the nodes do
    /// not fetch at the same time. Default: 15 min. Range: 1 s to 7 days.
    package let refresh: TimeInterval
    /// The wait in seconds after a failed fetch. Default: 60 s or `refresh`, the shorter of the two. Range: 1 s to
    /// 7 days.
    package let retry: TimeInterval
    /// The age in seconds at which the node reports a stale catalogue. Default: 1 h or four times `refresh`, the
    /// longer of the two. Range: 1 s to 30 days.
    package let staleAfter: TimeInterval
    /// The maximum time in seconds that the start of the server waits for a first catalogue. Default: 5 s. Range: 0
    /// s to 60 s.
    package let startupTimeout: TimeInterval
    /// The maximum duration of a fetch in seconds. Default: 60 s. Range: 1 s to 10 min.
    package let deadline: TimeInterval
    package let limits: CatalogueLimits
    /// The fingerprint of the settings. Equal fingerprints mean the same source under the same rules.
    package let fingerprint: [UInt8]

    /// - Throws: `SettingsError`, also for unknown keys.
    package init(_ settings: SettingsSection) throws(SettingsError) {
        kind = try CatalogueSourceRegistry.read(settings)
        refresh = try settings.duration("refresh", default: 900, in: 1...604_800)
        retry = try settings.duration("retry", default: min(60, refresh), in: 1...604_800)
        staleAfter = try settings.duration(
            "stale_after", default: max(3_600, 4 * refresh), in: 1...2_592_000)
        startupTimeout = try settings.duration("startup_timeout", default: 5, in: 0...60)
        deadline = try settings.duration("deadline", default: 60, in: 1...600)
        limits = CatalogueLimits(
            maxSkipped: try settings.integer(
                "max_skipped", default: CatalogueLimits.defaultMaxSkipped, in: 0...100_000),
            maxShrink: try settings.percentage("max_shrink", default: 0.5))
        fingerprint = settings.fingerprint()
        try settings.finish()
    }

    /// Fetches the whole catalogue once.
    ///
    /// - Parameter known: The cached catalogue.
    /// - Throws: The errors of ``CatalogueSource/fetch(after:)``.
    package func inspect(after known: Catalogue?) async throws -> CatalogueReading {
        switch try await kind.open().fetch(after: KnownCatalogue(catalogue: known ?? Catalogue())) {
        case .read(let reading): reading
        case .unchanged: throw CatalogueFailure.status(304)
        }
    }

    /// Returns the seconds from the end of a fetch to the next fetch.
    ///
    /// - Parameter jitterShare: A random number from 0 to 1.
    func wait(failed: Bool, jitterShare: Double) -> TimeInterval {
        (failed ? min(retry, refresh) : refresh) * (1 + 0.1 * jitterShare)
    }
}

/// The limits for accepting a source's response.
package struct CatalogueLimits: Sendable, Equatable {
    /// The default of ``maxSkipped``: a few unreadable items are reported and do not block the other items.
    package static let defaultMaxSkipped = 10

    /// The maximum number of unreadable items. Default: 10.
    package var maxSkipped = defaultMaxSkipped
    /// The maximum share of the last good catalogue's editions that may be missing, from 0 to 1. Default: 0.5.
    package var maxShrink = 0.5

    package init(maxSkipped: Int = defaultMaxSkipped, maxShrink: Double = 0.5) {
        self.maxSkipped = maxSkipped
        self.maxShrink = maxShrink
    }

    /// Returns the reason for rejecting a response; nil to accept it.
    ///
    /// - Parameter last: The number of editions in the current catalogue; nil if there is none.
    package func rejection(of reading: CatalogueReading, last: Int?) -> CatalogueRejection? {
        if reading.problems.count > maxSkipped { return .unreadable(reading.problems, limit: maxSkipped) }
        if reading.editions.count <= reading.unreadableEditions.count { return .empty }
        return rejection(ofCount: reading.editions.count, last: last)
    }

    /// Returns the reason for rejecting a catalogue by its number of editions; nil to accept it.
    ///
    /// - Parameter last: The number of editions in the current catalogue; nil if there is none.
    func rejection(ofCount count: Int, last: Int?) -> CatalogueRejection? {
        if count == 0 { return .empty }
        if let last, Double(last - count) > maxShrink * Double(last) { return .shrunk(from: last, to: count) }
        return nil
    }
}

/// The reason that a source's response is rejected.
package enum CatalogueRejection: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable([CatalogueProblem], limit: Int)
    case empty
    case shrunk(from: Int, to: Int)

    package var description: String {
        switch self {
        case .unreadable(let problems, let limit):
            "\(problems.count) items cannot be read and `max_skipped` is \(limit): "
                + problems.prefix(5).map(\.description).joined(separator: "; ") + (problems.count > 5 ? "; …" : "")
        case .empty: "it has no editions that can be read"
        case .shrunk(let before, let after): "it has \(after) editions and the last good one had \(before)"
        }
    }
}

extension SettingsSection {
    /// Reads a percentage such as `50%` as a number from 0 to 1.
    fileprivate func percentage(_ name: String, default standard: Double) throws(SettingsError) -> Double {
        guard let text = try string(name) else { return standard }
        guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number) else {
            throw error(name, expected: "expected a share such as 50%")
        }
        return number / 100
    }
}
