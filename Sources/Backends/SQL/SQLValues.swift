import Gatefold

/// The values of a statement's parameters, by name.
struct SQLValues: Sendable {
    var bound: [String: String]
    /// The names of the values that come from request fields.
    private(set) var requested: Set<String>

    /// Creates the values. Returns nil for a value that belongs to no reader: one that contains a NUL, which
    /// PostgreSQL text cannot hold, or exceeds the maximum length of a field. Such a value must not reach the
    /// database, because the resulting error would count as an outage.
    init?(_ credentials: Credentials, _ context: CallContext, _ queries: SQLQueries) {
        var bound = Self.requested(context, queries)
        requested = Set(bound.keys)
        for name in queries.boundProofs {
            guard let typed = credentials[name] else { return nil }
            bound[name] = typed
        }
        bound[SQLQueries.identifier] = credentials.identifier
        // The only field that is not a proof identifies the reader.
        let names = credentials.names.filter { !queries.checkedProofs.contains($0) }
        bound[SQLQueries.rawIdentifier] = names.count == 1 ? credentials[names[0]] : nil
        guard credentials.names.allSatisfy({ credentials[$0].map(Self.isAcceptable) ?? true }),
            bound.values.allSatisfy(Self.isAcceptable)
        else { return nil }
        self.bound = bound
    }

    /// Creates the values of a lookup, for which no proof is known.
    init?(finding credentials: Credentials, _ context: CallContext, _ queries: SQLQueries) {
        var bound = Self.requested(context, queries)
        requested = Set(bound.keys)
        bound[SQLQueries.identifier] = credentials.identifier
        bound[SQLQueries.rawIdentifier] = credentials.identifierField.flatMap { credentials[$0] }
        guard bound.values.allSatisfy(Self.isAcceptable) else { return nil }
        self.bound = bound
    }

    init?(key: String, _ context: CallContext, _ queries: SQLQueries) {
        guard !key.isEmpty, Self.isAcceptable(key) else { return nil }
        bound = Self.requested(context, queries)
        requested = Set(bound.keys)
        bound[SQLQueries.key] = key
    }

    mutating func dropRequested() {
        for name in requested { bound[name] = nil }
        requested = []
    }

    /// Returns the request fields. A field that no database accepts counts as not sent and is NULL.
    private static func requested(_ context: CallContext, _ queries: SQLQueries) -> [String: String] {
        context.fields.filter { queries.requestFields.contains($0.key) && isAcceptable($0.value) }
    }

    private static func isAcceptable(_ value: String) -> Bool {
        value.utf8.count <= CredentialFields.maxFieldLength && !value.utf8.contains(0)
    }
}
