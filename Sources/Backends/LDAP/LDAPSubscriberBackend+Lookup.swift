import Gatefold
import LDAP
import Primitives
import SQLAccess

/// Lookups by the sign-in identifier: the search of a sign-in, without the bind or the comparison of the proof.
extension LDAPSubscriberBackend {
    /// A Boolean value that indicates whether the name or the filter contains nothing but the identifier. A directory
    /// whose readers type further fields, such as a date of birth, cannot be searched without them.
    var supportsLookup: Bool {
        let names =
            switch queries.authentication.strategy {
            case .bind(let template): template.names
            case .searchBind, .compare: queries.people.filter?.names ?? []
            }
        return names == ["identifier"]
    }

    func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        guard supportsLookup else { return Fetched(ReaderLookup(unsupported: [name])) }
        guard let search = lookupSearch(credentials) else { return Fetched(ReaderLookup()) }
        QueryTrace.begin("people")
        let (entries, isAmbiguous) = try await pool.use { session in
            let result = try session.search(search)
            if result?.entries.isEmpty ?? true {
                if let result { try requireComplete(result) }
                // The missing entry must not be the sign of a missing tree.
                try requireBase(session)
            }
            return (result?.entries ?? [], result.map { $0.entries.count > 1 || $0.isTruncated } ?? false)
        }
        return Fetched(
            ReaderLookup(
                try entries.map { Subscriber(backend: name, key: try queries.key.key(of: $0)) },
                ambiguous: isAmbiguous ? [name] : []))
    }

    private func lookupSearch(_ credentials: Credentials) -> DirectorySearch? {
        guard case .bind(let template) = queries.authentication.strategy else { return search(for: credentials) }
        guard let entry = template.filled(from: credentials, in: .distinguishedName) else { return nil }
        return DirectorySearch(
            base: entry, scope: .base, filter: queries.people.only.render { _ in "" },
            attributes: queries.keyAttributes, limit: 1)
    }
}
