import Gatefold

/// Where the answers about one subscriber or identifier are, so that what one of them takes with it is found without a look
/// at all the others.
struct AnswerShelf: Sendable {
    private(set) var places: Set<Int> = []
    /// Those that recognised somebody.
    private(set) var recognised: Set<Int> = []
    private var editions: [EditionID: Set<Int>] = [:]

    var count: Int { places.count }

    /// Verdicts on an edition. Those on none are among all others.
    func verdicts(on edition: EditionID?) -> Set<Int> {
        guard let edition else { return places }
        return editions[edition] ?? []
    }

    func verdicts(onEditions isIncluded: (EditionID) -> Bool) -> Set<Int> {
        editions.reduce(into: []) { found, edition in
            if isIncluded(edition.key) { found.formUnion(edition.value) }
        }
    }

    mutating func insert(_ place: Int, on edition: EditionID?, isRecognised: Bool) {
        places.insert(place)
        if isRecognised { recognised.insert(place) }
        if let edition { editions[edition, default: []].insert(place) }
    }

    mutating func remove(_ place: Int, on edition: EditionID?) {
        places.remove(place)
        recognised.remove(place)
        guard let edition else { return }
        editions[edition]?.remove(place)
        if editions[edition]?.isEmpty == true { editions[edition] = nil }
    }
}
