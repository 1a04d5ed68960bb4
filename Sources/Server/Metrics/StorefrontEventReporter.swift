import FrontDoors
import Gatefold
import Logging
import Metrics
import Synchronization

/// Turns what happened at a storefront into metrics and log lines.
final class StorefrontEventReporter: Sendable {
    private let publication: PublicationID
    /// Apps that were warned about: each launch of such an app sends its token anew.
    private let warned = Mutex<Set<String>>([])

    init(publication: PublicationID) {
        self.publication = publication
    }

    func report(_ event: StorefrontEvent) {
        switch event {
        case .pushToken(let app, let standing):
            Counter(
                label: "gatefold_push_tokens_total",
                dimensions: [("publication", publication.rawValue), ("result", standing.rawValue)]
            ).increment()
            guard standing == .truncated, warned.withLock({ $0.insert(app).inserted }) else { return }
            Logger.current.warning(
                "an app sends the description of its push token, which iOS 13 and later cut short; it needs a new release",
                metadata: ["publication": "\(publication)", "app": "\(app)"])
        }
    }
}
