import Catalogues
import Foundation
import Gatefold
import Metrics
import Primitives

/// The health and metrics of the catalogues, for an operator.
struct CatalogueAdministration: Sendable {
    let publications: ReloadableSnapshot
    let clock: WallClock

    /// Returns the health of the catalogues that have a source. A catalogue in the configuration cannot become
    /// stale.
    func health() -> [HealthLine] {
        let now = clock.now
        return publications.value.catalogues.all.compactMap { catalogue in
            let status = catalogue.status(at: now)
            guard status.hasSource else { return nil }
            let age = status.confirmedAt.map { "confirmed \(Int(now.timeIntervalSince($0))) s ago" } ?? "never fetched"
            let state = status.isStale ? "stale" : "ok"
            let failing = status.failures > 0 ? ", \(status.failures) failed fetches since" : ""
            return HealthLine(
                isGood: !status.isStale,
                text: "catalogue \(catalogue.publication): \(state), \(status.editions) editions, \(age)\(failing)")
        }
    }

    /// Updates the metrics. Called before metrics are exported.
    func measure() {
        let now = clock.now
        for catalogue in publications.value.catalogues.all {
            let status = catalogue.status(at: now)
            let publication = [("publication", catalogue.publication.rawValue)]
            Gauge(label: "gatefold_catalogue_editions", dimensions: publication).record(status.editions)
            guard status.hasSource, let confirmed = status.confirmedAt else { continue }
            Gauge(label: "gatefold_catalogue_age_seconds", dimensions: publication)
                .record(max(0, now.timeIntervalSince(confirmed)))
        }
    }
}

/// The health of one part of the server.
struct HealthLine: Sendable {
    let isGood: Bool
    /// The status line, without a line end.
    let text: String
}
