import Gatefold
import Synchronization

/// The revocation list of every publication; a list outlives the configuration that first named its publication.
final class RevocationLists: Sendable {
    private let lists = Mutex<[PublicationID: RevocationList]>([:])

    func list(for publication: PublicationID) -> RevocationList {
        lists.withLock { lists in
            if let list = lists[publication] { return list }
            let list = RevocationList(publication: publication)
            lists[publication] = list
            return list
        }
    }

    func add(_ revocation: Revocation) {
        list(for: revocation.publication).add(revocation)
    }

    var all: [RevocationList] { lists.withLock { Array($0.values) } }
}
