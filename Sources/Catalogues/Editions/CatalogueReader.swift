import Foundation
import Gatefold

/// Collects the editions of an answer, item by item, and what is wrong with the others.
///
/// Against an edition that no catalogue knows nothing is said, so an edition never leaves the catalogue because its item can
/// not be read: it stays as it was known before, or else is a draft, which is not out.
struct CatalogueReader {
    static let mostItems = 100_000

    private let known: Catalogue

    private(set) var reading = CatalogueReading()
    private var position = 0
    private var ids: Set<EditionID> = []
    private var products: [String: EditionID] = [:]

    /// - Parameter known: the editions as they were before.
    init(known: Catalogue = Catalogue()) {
        self.known = known
    }

    /// - Parameters:
    ///   - name: the item's identifier as it is written; nil where it has none.
    ///   - read: makes the next item an edition, or throws why it is none; nil for an item that is not meant to be.
    /// - Throws: ``CatalogueFailure/tooManyEditions``.
    mutating func next(
        named name: String?, _ read: () throws(EditionItemProblem) -> Edition?
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
            keep(name)
        }
    }

    private mutating func keep(_ name: String?) {
        guard let name = name?.trimmingCharacters(in: .whitespacesAndNewlines), let id = EditionID(name),
            ids.insert(id).inserted
        else { return }
        reading.unread.insert(id)
        reading.editions.append(before(id) ?? Self.notOut(id))
    }

    /// Nil also where its product is another edition's now.
    private mutating func before(_ id: EditionID) -> Edition? {
        guard let edition = known[id] else { return nil }
        guard let product = edition.soldAs else { return edition }
        guard products[product] == nil else { return nil }
        products[product] = id
        return edition
    }

    private static func notOut(_ id: EditionID) -> Edition {
        Edition(id: id, title: id.rawValue, published: Date(timeIntervalSince1970: 0), isDraft: true)
    }

    /// What was read, with what identifies it.
    func finish(_ validators: CatalogueValidators?) -> CatalogueReading {
        var reading = reading
        reading.validators = validators
        return reading
    }
}
