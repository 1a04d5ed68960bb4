import Catalogues
import Gatefold
import Logging
import Metrics

/// The reporter that converts events of catalogues into metrics and log lines.
enum CatalogueEventReporter {
    static func report(_ event: CatalogueEvent, to logger: Logger) {
        Counter(
            label: "gatefold_catalogue_events_total",
            dimensions: [("publication", event.publication.rawValue), ("event", event.name.rawValue)]
        ).increment()
        guard let detail = event.detail else { return }
        logger.log(
            level: event.isWarning ? .warning : .notice, "Catalogue event",
            metadata: [
                "publication": "\(event.publication)", "event": "\(event.name.rawValue)", "detail": "\(detail)",
            ])
    }
}
