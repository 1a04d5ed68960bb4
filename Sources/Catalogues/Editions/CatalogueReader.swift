import Gatefold

/// Collects the editions of an answer, item by item, and what is wrong with the others.
struct CatalogueReader {
    static let mostItems = 100_000

    private(set) var reading = CatalogueReading()
    private var position = 0
    private var ids: Set<EditionID> = []
    private var products: [String: EditionID] = [:]

    /// - Parameter read: makes the next item an edition, or throws why it is none; nil for an item that is not meant to be.
    /// - Throws: ``CatalogueFailure/tooManyEditions``.
    mutating func next(
        _ read: () throws(EditionItemProblem) -> Edition?
    ) throws(CatalogueFailure) {
        position += 1
        guard position <= Self.mostItems else { throw .tooManyEditions }
        do throws(EditionItemProblem) {
            guard let edition = try read() else { return }
            guard ids.insert(edition.id).inserted else { throw .repeated(edition.id) }
            if let product = edition.soldAs {
                if let other = products[product] {
                    ids.remove(edition.id)
                    throw .sameProduct(other, edition.id)
                }
                products[product] = edition.id
            }
            reading.editions.append(edition)
        } catch {
            reading.problems.append(CatalogueProblem(position: position, reason: error.description))
        }
    }

    /// What was read, with what identifies it.
    func finish(_ validators: CatalogueValidators?) -> CatalogueReading {
        var reading = reading
        reading.validators = validators
        return reading
    }
}
