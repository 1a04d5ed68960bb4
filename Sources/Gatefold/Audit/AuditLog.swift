/// An append-only log of administrative actions. No call changes or deletes an entry.
package protocol AuditLog: Sendable {
    /// Appends an entry. If there is an entry with the identifier of the record, nothing changes.
    ///
    /// - Returns: The entry, which is durable.
    @discardableResult
    func append(_ record: AuditRecord, to chain: AuditChain) async throws -> AuditEntry

    /// Returns a page of entries in the order of the query.
    func page(_ query: AuditQuery) async throws -> [AuditEntry]

    /// Returns the number and hash of the last entry; nil if there is none.
    func head() async throws -> AuditHead?
}
