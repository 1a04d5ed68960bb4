import TestSupport

/// An independent statement of the caching headers of a response (Pugpig protocol, “Caching headers”, and Pitfall 16).
enum CacheRule: Sendable {
    /// For responses about a reader, denials and failures: no cache stores them, and they contain no validators.
    case notCacheable
    /// For content: the client may store it for the credentials that opened it.
    case readers
    /// For the feed with credentials: the client may store it and revalidates each time.
    case draftReaders
    /// For public documents: any cache may store them for a minute.
    case publicCache(varies: Bool)

    /// Returns the first violation, or nil for none.
    func problem(to response: RawResponse) -> String? {
        for (name, values) in exactly where response.values(of: name) != values {
            return "\(name): \(response[name] ?? "none"), expected \(values.first ?? "none")"
        }
        for name in once where response.values(of: name).count != 1 {
            return "\(name): \(response[name] ?? "none"), expected one"
        }
        return nil
    }

    /// The fields with exact values.
    private var exactly: [(name: String, values: [String])] {
        switch self {
        case .notCacheable:
            [
                ("Cache-Control", ["no-store, no-cache, must-revalidate, private, max-age=0"]),
                ("Pragma", ["no-cache"]), ("Expires", ["0"]), ("ETag", []), ("Last-Modified", []), ("Set-Cookie", []),
            ]
        case .readers:
            [("Cache-Control", ["private, max-age=3600"]), ("Vary", ["Authorization"]), ("Set-Cookie", [])]
        case .draftReaders:
            [
                ("Cache-Control", ["private, no-cache"]), ("Vary", ["Authorization"]), ("Last-Modified", []),
                ("Set-Cookie", []),
            ]
        case .publicCache(let varies):
            [
                ("Cache-Control", ["public, max-age=60"]), ("Vary", varies ? ["Authorization"] : []),
                ("Set-Cookie", []),
            ]
        }
    }

    /// The fields that occur once with any value.
    private var once: [String] {
        switch self {
        case .notCacheable: []
        case .draftReaders: ["ETag"]
        case .readers, .publicCache: ["ETag", "Last-Modified"]
        }
    }
}
