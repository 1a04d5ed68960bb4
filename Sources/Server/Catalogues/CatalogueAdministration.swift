import Catalogues
import Foundation
import Gatefold
import Metrics

/// What an operator sees of the catalogues.
struct CatalogueAdministration: Sendable {
    let publications: CurrentPublications
    let clock: WallClock

    /// Of those with a source: what stands in the configuration can not grow old.
    func health() -> [HealthLine] {
        let now = clock.now
        return publications.value.catalogues.all.compactMap { kept in
            let status = kept.status(at: now)
            guard status.hasSource else { return nil }
            let age = status.confirmedAt.map { "confirmed \(Int(now.timeIntervalSince($0))) s ago" } ?? "never fetched"
            let word = status.isStale ? "old" : "ok"
            let failing = status.failures > 0 ? ", \(status.failures) failed fetches since" : ""
            return HealthLine(
                isGood: !status.isStale,
                text: "catalogue \(kept.publication): \(word), \(status.editions) editions, \(age)\(failing)")
        }
    }

    /// Brings the metrics up to date; before they are written.
    func measure() {
        let now = clock.now
        for kept in publications.value.catalogues.all {
            let status = kept.status(at: now)
            let publication = [("publication", kept.publication.rawValue)]
            Gauge(label: "gatefold_catalogue_editions", dimensions: publication).record(status.editions)
            guard status.hasSource, let confirmed = status.confirmedAt else { continue }
            Gauge(label: "gatefold_catalogue_age_seconds", dimensions: publication)
                .record(max(0, now.timeIntervalSince(confirmed)))
        }
    }
}

/// One part of the server, and whether it is well.
struct HealthLine: Sendable {
    let isGood: Bool
    /// Without a line end.
    let text: String
}
