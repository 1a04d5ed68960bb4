import Gatefold

/// An index of the results about one subscriber or identifier. It finds the results that another result invalidates
/// without a scan of the whole group.
struct BackendResultPartition: Sendable {
    private(set) var slots: Set<Int> = []
    /// The places of successful sign-ins.
    private(set) var authenticated: Set<Int> = []
    private var editions: [EditionID: Set<Int>] = [:]

    var count: Int { slots.count }

    /// Returns the places of the verdicts on an edition, or all places if there is no edition. Verdicts without an
    /// edition are listed with all other results.
    func verdicts(on edition: EditionID?) -> Set<Int> {
        guard let edition else { return slots }
        return editions[edition] ?? []
    }

    func verdicts(onEditions isIncluded: (EditionID) -> Bool) -> Set<Int> {
        editions.reduce(into: []) { found, edition in
            if isIncluded(edition.key) { found.formUnion(edition.value) }
        }
    }

    mutating func insert(_ slot: Int, on edition: EditionID?, isAuthenticated: Bool) {
        slots.insert(slot)
        if isAuthenticated { authenticated.insert(slot) }
        if let edition { editions[edition, default: []].insert(slot) }
    }

    mutating func remove(_ slot: Int, on edition: EditionID?) {
        slots.remove(slot)
        authenticated.remove(slot)
        guard let edition else { return }
        editions[edition]?.remove(slot)
        if editions[edition]?.isEmpty == true { editions[edition] = nil }
    }
}
