import Gatefold
import Metrics

/// The metrics of push campaigns, for an operator.
struct PushAdministration: Sendable {
    static let maxCounted = 1_000

    let publications: ReloadableSnapshot
    let store: any PushCampaignStore

    /// Updates the metrics, including those of campaigns that an operator's command sends. Called before metrics
    /// are exported.
    func measure() async {
        for publication in publications.value.push.keys {
            // If the store is unreadable, the metric keeps its value. The state health reports the failure.
            guard
                let open = try? await store.campaigns(in: publication, unfinished: true, limit: Self.maxCounted)
            else { continue }
            Gauge(label: "gatefold_push_campaigns_open", dimensions: [("publication", publication.rawValue)])
                .record(open.count)
        }
    }
}
