package import Foundation
package import Gatefold
package import Settings

/// How a catalogue's source is followed, and what its answer must be like to be taken.
package struct CataloguePlan: Sendable {
    package let kind: any CatalogueSourceKind
    /// From one fetch to the next, in seconds; up to a tenth of it later, so that not everybody comes at once.
    package let refresh: TimeInterval
    /// After a fetch that failed, in seconds.
    package let retry: TimeInterval
    /// How old a catalogue may be before the node says that it is not well, in seconds.
    package let staleAfter: TimeInterval
    /// How long the start of the server waits for a first catalogue, in seconds.
    package let firstWait: TimeInterval
    /// How long a fetch may take, in seconds.
    package let deadline: TimeInterval
    package let limits: CatalogueLimits
    /// The same fingerprint means the same source under the same rules.
    package let fingerprint: [UInt8]

    /// - Throws: `SettingsError`, also for unknown keys.
    package init(_ settings: SettingsSection) throws(SettingsError) {
        kind = try CatalogueSourceRegistry.read(settings)
        refresh = try settings.duration("refresh", default: 900, in: 1...604_800)
        retry = try settings.duration("retry", default: min(60, refresh), in: 1...604_800)
        staleAfter = try settings.duration(
            "stale_after", default: max(3_600, 4 * refresh), in: 1...2_592_000)
        firstWait = try settings.duration("first_wait", default: 5, in: 0...60)
        deadline = try settings.duration("deadline", default: 60, in: 1...600)
        limits = CatalogueLimits(
            mostSkipped: try settings.integer("skip_at_most", default: CatalogueLimits.usualSkipped, in: 0...100_000),
            mostShrink: try settings.percentage("shrink_at_most", default: 0.5))
        fingerprint = settings.fingerprint()
        try settings.finish()
    }

    /// Asks the source for everything, once.
    ///
    /// - Parameter known: what is remembered of it.
    /// - Throws: as ``CatalogueSource/fetch(after:)`` does.
    package func inspect(after known: Catalogue?) async throws -> CatalogueReading {
        switch try await kind.open().fetch(after: KnownCatalogue(catalogue: known ?? Catalogue())) {
        case .read(let reading): reading
        case .unchanged: throw CatalogueFailure.status(304)
        }
    }

    /// Seconds from the end of a fetch to the next.
    ///
    /// - Parameter chance: from 0 to 1.
    func wait(failed: Bool, chance: Double) -> TimeInterval {
        (failed ? min(retry, refresh) : refresh) * (1 + 0.1 * chance)
    }
}

/// What a source's answer must be like to be taken.
package struct CatalogueLimits: Sendable, Equatable {
    /// Odd items are reported, and do not keep back all others.
    package static let usualSkipped = 10

    /// The most items that may be unreadable.
    package var mostSkipped = usualSkipped
    /// The share of the last good catalogue's editions that may be gone, from 0 to 1.
    package var mostShrink = 0.5

    package init(mostSkipped: Int = usualSkipped, mostShrink: Double = 0.5) {
        self.mostSkipped = mostSkipped
        self.mostShrink = mostShrink
    }

    /// - Parameter last: editions of the catalogue in force; nil when there is none.
    package func refusal(of reading: CatalogueReading, last: Int?) -> CatalogueRefusal? {
        if reading.problems.count > mostSkipped { return .unreadable(reading.problems, most: mostSkipped) }
        if reading.editions.count <= reading.unread.count { return .empty }
        if let last, Double(last - reading.editions.count) > mostShrink * Double(last) {
            return .shrunk(from: last, to: reading.editions.count)
        }
        return nil
    }
}

/// Why a source's answer is not taken.
package enum CatalogueRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    case unreadable([CatalogueProblem], most: Int)
    case empty
    case shrunk(from: Int, to: Int)

    package var description: String {
        switch self {
        case .unreadable(let problems, let most):
            "\(problems.count) items can not be read and `skip_at_most` is \(most): "
                + problems.prefix(5).map(\.description).joined(separator: "; ") + (problems.count > 5 ? "; …" : "")
        case .empty: "it has no editions that can be read"
        case .shrunk(let before, let after): "it has \(after) editions and the last good one \(before)"
        }
    }
}

extension SettingsSection {
    /// A share such as `50%`, from 0 to 1.
    fileprivate func percentage(_ name: String, default standard: Double) throws(SettingsError) -> Double {
        guard let text = try string(name) else { return standard }
        guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number) else {
            throw error(name, expected: "expected a share such as 50%")
        }
        return number / 100
    }
}
