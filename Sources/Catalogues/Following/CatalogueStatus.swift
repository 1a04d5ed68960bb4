package import Foundation
package import Gatefold

/// How a publication's catalogue is doing.
package struct CatalogueStatus: Sendable, Equatable {
    /// Of the catalogue in force.
    package var editions: Int
    /// When the source last gave it, or said that it still has it; nil before the first, and without a source.
    package var confirmedAt: Date?
    /// Why the last fetch put no catalogue into force; nil when it did.
    package var failure: String?
    /// Fetches without success since the last with one.
    package var failures: Int
    package var isStale: Bool
    package var hasSource: Bool
}

/// What happened to a publication's catalogue, for logs and metrics.
package struct CatalogueEvent: Sendable, Equatable {
    package enum Name: String, Sendable {
        case replaced, unchanged, refused, unreachable, published
        case notKept = "not_kept"
    }

    package let publication: PublicationID
    package let name: Name
    /// Words for the log; nil when the event is only counted.
    package let detail: String?
    /// Whether something is wrong.
    package var isWarning: Bool { [.refused, .unreachable, .notKept].contains(name) || isSkipping }
    var isSkipping = false
}

/// What whoever keeps catalogues needs of the outside.
package struct CatalogueServices: Sendable {
    package let clock: WallClock
    package let random: RandomSource
    /// Told what happened; returns at once.
    package let observe: @Sendable (CatalogueEvent) -> Void
    /// Told the editions that are offered for the first time, until it says that they are taken care of for good. Whoever
    /// was interrupted before that could be noted tells them again.
    package let didPublish: @Sendable (PublicationID, [Edition]) async -> Bool
    /// Waits so many seconds.
    package let sleep: @Sendable (TimeInterval) async throws -> Void

    package init(
        clock: WallClock, random: RandomSource, observe: @escaping @Sendable (CatalogueEvent) -> Void = { _ in },
        didPublish: @escaping @Sendable (PublicationID, [Edition]) async -> Bool = { _, _ in true },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.clock = clock
        self.random = random
        self.observe = observe
        self.didPublish = didPublish
        self.sleep = sleep
    }
}
