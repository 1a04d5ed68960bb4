import Gatefold
import State

extension RevocationLists {
    /// Returns every readable revocation on record. A command that adds a revocation needs them, because the new
    /// one must be later than all others.
    static func recorded(in store: any RevocationStore) async throws -> RevocationLists {
        let lists = RevocationLists()
        if let floor = try await store.sessionFloor() { lists.raiseFloor(to: floor) }
        var page = RevocationPage(isLast: false)
        while !page.isLast {
            page = try await store.revocations(after: page.end, limit: 2_000)
            for record in page.records { lists.add(record) }
        }
        return lists
    }
}
