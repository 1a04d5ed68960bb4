package import Gatefold

extension RevocationStore {
    /// Returns all readable revocations with a greater sequence number, in order. 0 returns all.
    package func revocations(after sequence: Int64) async throws -> [RevocationRecord] {
        var records: [RevocationRecord] = []
        var page = RevocationPage(isLast: false)
        while !page.isLast {
            page = try await revocations(after: page.end, limit: 1_000)
            records += page.records
        }
        return records.filter { $0.sequence > sequence }
    }
}
