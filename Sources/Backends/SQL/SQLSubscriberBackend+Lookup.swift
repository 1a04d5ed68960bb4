import Gatefold
import SQLAccess

/// Lookups by the sign-in identifier: the statement `lookup`, or else `authenticate` if it needs no proof.
extension SQLSubscriberBackend {
    var supportsLookup: Bool { queries.lookup != nil }

    func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
        guard let lookup = queries.lookup else { return Fetched(ReaderLookup(unsupported: [name])) }
        guard let values = SQLValues(finding: credentials, context, queries) else { return Fetched(ReaderLookup()) }
        QueryTrace.begin(queries.lookupName)
        let result: SQLRows
        do {
            result = try await database.rows(lookup, values.bound)
        } catch let failure as any SQLDatabaseFailure where failure.isValueError {
            return Fetched(ReaderLookup())
        }
        let keys = try result.records(["key"]).compactMap { row throws(MappingError) in try row.value("key") }
        return Fetched(
            ReaderLookup(
                keys.filter { !$0.isEmpty && !$0.utf8.contains(0) }.map { Subscriber(backend: name, key: $0) }))
    }
}
