import Gatefold

/// An index of the results about one subscriber or identifier. It finds the results that another result invalidates
/// without a scan of the whole group.
struct BackendResultPartition: Sendable {
    private(set) var places: Set<Int> = []
    /// The places of successful sign-ins.
    private(set) var authenticated: Set<Int> = []
    private var editions: [EditionID: Set<Int>] = [:]

    var count: Int { places.count }

    /// Returns the places of the verdicts on an edition, or all places if there is no edition. Verdicts without an
    /// edition are listed with all other results.
    func verdicts(on edition: EditionID?) -> Set<Int> {
        guard let edition else { return places }
        return editions[edition] ?? []
    }

    func verdicts(onEditions isIncluded: (EditionID) -> Bool) -> Set<Int> {
        editions.reduce(into: []) { found, edition in
            if isIncluded(edition.key) { found.formUnion(edition.value) }
        }
    }

    mutating func insert(_ place: Int, on edition: EditionID?, isAuthenticated: Bool) {
        places.insert(place)
        if isAuthenticated { authenticated.insert(place) }
        if let edition { editions[edition, default: []].insert(place) }
    }

    mutating func remove(_ place: Int, on edition: EditionID?) {
        places.remove(place)
        authenticated.remove(place)
        guard let edition else { return }
        editions[edition]?.remove(place)
        if editions[edition]?.isEmpty == true { editions[edition] = nil }
    }
}
