import Gatefold
import SQLAccess

/// Lookups by the sign-in identifier: the statement `lookup`, or else `authenticate` if it needs no proof and cannot write.
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
        if lookup == queries.authenticate { try requireVerification(of: result) }
        let rows = try result.records(["key"])
        let keys = try rows.compactMap { row throws(MappingError) in try row.value("key") }
        // A proof that a sign-in binds may distinguish the rows.
        let isAmbiguous = rows.count > 1 && queries.boundProofs.isEmpty
        return Fetched(
            ReaderLookup(
                keys.filter { !$0.isEmpty && !$0.utf8.contains(0) }.map { Subscriber(backend: name, key: $0) },
                ambiguous: isAmbiguous ? [name] : []))
    }
}
