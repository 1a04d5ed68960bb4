package import Foundation
package import Gatefold
package import Primitives

/// The health of a publication's catalogue.
package struct CatalogueStatus: Sendable, Equatable {
    /// The number of editions in the current catalogue.
    package var editions: Int
    /// The time at which the source last returned or confirmed the catalogue; nil before the first success, and
    /// without a source.
    package var confirmedAt: Date?
    /// The reason that the last fetch failed; nil after a success.
    package var failure: String?
    /// The number of failed fetches since the last success.
    package var failures: Int
    package var isStale: Bool
    package var hasSource: Bool
}

/// An event of a publication's catalogue, for logs and metrics.
package struct CatalogueEvent: Sendable, Equatable {
    package enum Name: String, Sendable {
        case replaced, unchanged, rejected, unreachable, published
        case notStored = "not_stored"
        /// A shared catalogue that this node cannot use, or that its limits reject.
        case notTakenOver = "not_taken_over"
    }

    package let publication: PublicationID
    package let name: Name
    /// The text for the log; nil if the event is only counted.
    package let detail: String?
    /// A Boolean value that indicates whether the event is a warning.
    package var isWarning: Bool { [.rejected, .unreachable, .notStored, .notTakenOver].contains(name) || isSkipping }
    var isSkipping = false
}

/// The external services that catalogues depend on.
package struct CatalogueServices: Sendable {
    package let clock: WallClock
    package let random: RandomSource
    /// Receives each event. Must return immediately.
    package let observe: @Sendable (CatalogueEvent) -> Void
    /// Receives the editions that are offered for the first time, and returns true once their announcement is
    /// durable. The editions are passed again until then, also after an interruption.
    package let didPublish: @Sendable (PublicationID, [Edition]) async -> Bool
    /// The catalogues of all nodes; nil if this node fetches for itself.
    package let shared: SharedDocuments?
    /// Waits for the given number of seconds.
    package let sleep: @Sendable (TimeInterval) async throws -> Void

    package init(
        clock: WallClock, random: RandomSource, observe: @escaping @Sendable (CatalogueEvent) -> Void = { _ in },
        didPublish: @escaping @Sendable (PublicationID, [Edition]) async -> Bool = { _, _ in true },
        shared: SharedDocuments? = nil,
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.clock = clock
        self.random = random
        self.observe = observe
        self.didPublish = didPublish
        self.shared = shared
        self.sleep = sleep
    }
}

extension CatalogueEvent: ReportableEvent {
    package var report: EventReport {
        let report = EventReport.counter(
            "gatefold_catalogue_events_total", ["publication": publication.rawValue, "event": name.rawValue])
        guard let detail else { return report }
        return report.log(
            isWarning ? .warning : .notice, "Catalogue event",
            ["publication": publication, "event": name.rawValue, "detail": detail])
    }
}
