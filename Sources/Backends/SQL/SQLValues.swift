import Gatefold

/// The values of a statement's parameters, by their names.
struct SQLValues: Sendable {
    var bound: [String: String]
    /// The names of the request's own fields among them.
    private(set) var requested: Set<String>

    /// Nil for what is nobody's: a NUL, which PostgreSQL has no text for, or more than a field may have. It must not
    /// reach the database, whose error would be taken for an outage.
    init?(_ credentials: Credentials, _ inquiry: Inquiry, _ queries: SQLQueries) {
        var bound = Self.requested(inquiry, queries)
        requested = Set(bound.keys)
        for name in queries.boundProofs {
            guard let typed = credentials[name] else { return nil }
            bound[name] = typed
        }
        bound[SQLQueries.identifier] = credentials.identifier
        // The one field that is no proof names the reader.
        let names = credentials.names.filter { !queries.checkedProofs.contains($0) }
        bound[SQLQueries.typedIdentifier] = names.count == 1 ? credentials[names[0]] : nil
        guard credentials.names.allSatisfy({ credentials[$0].map(Self.isAcceptable) ?? true }),
            bound.values.allSatisfy(Self.isAcceptable)
        else { return nil }
        self.bound = bound
    }

    init?(key: String, _ inquiry: Inquiry, _ queries: SQLQueries) {
        guard !key.isEmpty, Self.isAcceptable(key) else { return nil }
        bound = Self.requested(inquiry, queries)
        requested = Set(bound.keys)
        bound[SQLQueries.key] = key
    }

    mutating func dropRequested() {
        for name in requested { bound[name] = nil }
        requested = []
    }

    /// A field that no database takes counts as one that was not sent, and is NULL.
    private static func requested(_ inquiry: Inquiry, _ queries: SQLQueries) -> [String: String] {
        inquiry.fields.filter { queries.requestFields.contains($0.key) && isAcceptable($0.value) }
    }

    private static func isAcceptable(_ value: String) -> Bool {
        value.utf8.count <= CredentialFields.longestField && !value.utf8.contains(0)
    }
}
