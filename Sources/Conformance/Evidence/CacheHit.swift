/// What caches say about where an answer came from (RFC 9111 section 5.1, and what is customary).
enum CacheHit {
    /// What shows that an answer came out of a cache; nil where nothing does.
    static func sign(of answer: RawAnswer) -> String? {
        if let age = answer["Age"].flatMap({ Int($0) }), age > 0 { return "Age: \(age)" }
        for name in ["X-Cache", "X-Cache-Status", "CF-Cache-Status"] {
            if answer[name]?.lowercased().contains("hit") == true { return "\(name): hit" }
        }
        // Varnish names the request that fetched it besides this one.
        let isVarnishHit = answer["X-Varnish"].map { $0.split(separator: " ").count > 1 } ?? false
        return isVarnishHit ? "X-Varnish names two requests" : nil
    }
}
