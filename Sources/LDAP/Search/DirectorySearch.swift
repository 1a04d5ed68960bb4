/// A search for entries.
public struct DirectorySearch: Sendable, Equatable {
    public enum Scope: String, Sendable, CaseIterable {
        /// The entry itself.
        case base
        /// The entries right below.
        case one
        /// The entry and all below.
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
    /// Names of attributes; with none of them only the entries' names are asked for.
    public var attributes: [String]
    /// The most entries.
    public var limit: Int

    public init(base: String, scope: Scope, filter: String, attributes: [String], limit: Int) {
        self.base = base
        self.scope = scope
        self.filter = filter
        self.attributes = attributes
        self.limit = limit
    }
}

/// What a search found.
public struct SearchAnswer: Sendable, Equatable {
    public var entries: [DirectoryEntry] = []
    /// How many parts of the answer are elsewhere, in places that were not asked.
    public var references = 0
    /// Whether there would have been more entries than the limit.
    public var isCutShort = false

    public init() {}
}
