import Gatefold
import State

extension RevocationLists {
    /// Every revocation on record that can be read: what a command that makes another has to lie behind.
    static func recorded(in store: any SessionStore) async throws -> RevocationLists {
        let lists = RevocationLists()
        if let floor = try await store.sessionFloor() { lists.raiseFloor(to: floor) }
        var next: Int64? = 0
        while let after = next {
            let page = try await store.revocations(after: after, limit: 2_000)
            for record in page.records { lists.add(record) }
            next = page.next
        }
        return lists
    }
}
