public import Foundation
public import Gatefold
import Synchronization

/// The revocation lists of all publications, each created on first use.
///
/// A publication that a later configuration adds therefore finds earlier revocations.
public final class RevocationLists: Sendable {
    private let lists: Mutex<[PublicationID: RevocationList]>
    private let floor = Mutex(Date.distantPast)

    public init(_ lists: [RevocationList] = []) {
        self.lists = Mutex(Dictionary(lists.map { ($0.publication, $0) }) { first, _ in first })
    }

    public func list(for publication: PublicationID) -> RevocationList {
        lists.withLock { lists in
            if let list = lists[publication] { return list }
            let list = RevocationList(publication: publication)
            list.raiseFloor(to: floor.withLock(\.self))
            lists[publication] = list
            return list
        }
    }

    /// Ends every session issued before the given timestamp, in every publication.
    public func raiseFloor(to timestamp: Date) {
        lists.withLock { lists in
            floor.withLock { $0 = max($0, timestamp) }
            for list in lists.values { list.raiseFloor(to: timestamp) }
        }
    }

    /// Adds a revocation to the list of its publication.
    public func add(_ record: RevocationRecord) {
        list(for: record.revocation.publication).add(record.revocation, expires: record.expires)
    }

    public var all: [RevocationList] { lists.withLock { Array($0.values) } }
}
