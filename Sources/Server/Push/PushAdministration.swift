import Gatefold
import Metrics

/// What an operator sees of push campaigns.
struct PushAdministration: Sendable {
    static let mostCounted = 1_000

    let publications: CurrentPublications
    let store: any PushTokenStore

    /// Brings the metrics up to date; before they are written. Those that an operator's command sends count, too.
    func measure() async {
        for publication in publications.value.push.keys {
            // What can not be read stays what it was; that the state is not well is told elsewhere.
            guard
                let open = try? await store.campaigns(in: publication, unfinished: true, limit: Self.mostCounted)
            else { continue }
            Gauge(label: "gatefold_push_campaigns_open", dimensions: [("publication", publication.rawValue)])
                .record(open.count)
        }
    }
}
