import Gatefold
import State

extension RevocationLists {
    /// Every revocation on record: what a command that makes another has to lie behind.
    static func recorded(in store: any SessionStore) async throws -> RevocationLists {
        let lists = RevocationLists()
        if let floor = try await store.sessionFloor() { lists.raiseFloor(to: floor) }
        for record in try await store.revocations(after: 0) { lists.add(record.revocation) }
        return lists
    }
}
