extension Freshness {
    /// The name in logs and events.
    package var name: String {
        switch self {
        case .live: "live"
        case .cached: "cached"
        case .stale: "stale"
        }
    }
}
