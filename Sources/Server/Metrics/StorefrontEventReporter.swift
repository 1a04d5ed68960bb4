import FrontDoors
import Gatefold
import Logging
import Metrics
import Synchronization

/// The reporter that converts events of a storefront into metrics and log lines.
final class StorefrontEventReporter: Sendable {
    private let publication: PublicationID
    /// The apps for which a warning was logged. One warning is enough, because such an app sends its token at each
    /// launch.
    private let warned = Mutex<Set<String>>([])

    init(publication: PublicationID) {
        self.publication = publication
    }

    func report(_ event: StorefrontEvent) {
        switch event {
        case .pushToken(let app, let status):
            Counter(
                label: "gatefold_push_tokens_total",
                dimensions: [("publication", publication.rawValue), ("result", status.rawValue)]
            ).increment()
            guard status == .truncated, warned.withLock({ $0.insert(app).inserted }) else { return }
            Logger.current.warning(
                "App sends the description of its push token, which iOS 13 and later truncate: it needs an update",
                metadata: ["publication": "\(publication)", "app": "\(app)"])
        }
    }
}
