import TestSupport

/// What an answer has to say to caches, said once more (DESIGN rule 1 and "The gate", PITFALLS row 16).
enum CacheRule: Sendable {
    /// Of whatever is about a reader, and of every refusal and failure: no cache keeps it, and nothing in it helps one to.
    case nobodys
    /// Of content: whoever fetched it may keep it, for the credentials that opened it.
    case readers
    /// Of the feed as credentials show it: whoever fetched it may keep it, and asks each time.
    case insiders
    /// Of what everybody is shown: anybody's cache may keep it for a minute.
    case everybodys(varies: Bool)

    /// The first thing that is wrong; nil where all is right.
    func objection(to answer: RawResponse) -> String? {
        for (name, values) in exactly where answer.values(of: name) != values {
            return "\(name): \(answer[name] ?? "none"), expected \(values.first ?? "none")"
        }
        for name in once where answer.values(of: name).count != 1 {
            return "\(name): \(answer[name] ?? "none"), expected one"
        }
        return nil
    }

    /// The fields that are determined, with all their values.
    private var exactly: [(name: String, values: [String])] {
        switch self {
        case .nobodys:
            [
                ("Cache-Control", ["no-store, no-cache, must-revalidate, private, max-age=0"]),
                ("Pragma", ["no-cache"]), ("Expires", ["0"]), ("ETag", []), ("Last-Modified", []), ("Set-Cookie", []),
            ]
        case .readers:
            [("Cache-Control", ["private, max-age=3600"]), ("Vary", ["Authorization"]), ("Set-Cookie", [])]
        case .insiders:
            [
                ("Cache-Control", ["private, no-cache"]), ("Vary", ["Authorization"]), ("Last-Modified", []),
                ("Set-Cookie", []),
            ]
        case .everybodys(let varies):
            [
                ("Cache-Control", ["public, max-age=60"]), ("Vary", varies ? ["Authorization"] : []),
                ("Set-Cookie", []),
            ]
        }
    }

    /// Those that are there with whatever value.
    private var once: [String] {
        switch self {
        case .nobodys: []
        case .insiders: ["ETag"]
        case .readers, .everybodys: ["ETag", "Last-Modified"]
        }
    }
}
