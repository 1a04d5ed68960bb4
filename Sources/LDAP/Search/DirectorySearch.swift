/// A search for entries.
public struct DirectorySearch: Sendable, Equatable {
    public enum Scope: String, Sendable, CaseIterable {
        /// The base entry only.
        case base
        /// The entries directly below the base.
        case one
        /// The base entry and all entries below it.
        case subtree

        var code: Int32 {
            switch self {
            case .base: 0
            case .one: 1
            case .subtree: 2
            }
        }
    }

    public var base: String
    public var scope: Scope
    public var filter: String
    /// The names of the requested attributes. An empty list requests only the names of the entries.
    public var attributes: [String]
    /// The maximum number of entries.
    public var limit: Int

    public init(base: String, scope: Scope, filter: String, attributes: [String], limit: Int) {
        self.base = base
        self.scope = scope
        self.filter = filter
        self.attributes = attributes
        self.limit = limit
    }
}

/// The result of a search.
public struct SearchResult: Sendable, Equatable {
    public var entries: [DirectoryEntry] = []
    /// The number of references to other servers in the result. These servers were not queried.
    public var references = 0
    /// A Boolean value that indicates whether the search matched more entries than the limit.
    public var isTruncated = false

    public init() {}
}
