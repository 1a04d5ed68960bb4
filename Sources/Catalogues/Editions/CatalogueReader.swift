import Foundation
import Gatefold

/// A collector of the editions of a response, item by item, and of the problems of unusable items.
///
/// An edition never leaves the catalogue because its item is unreadable, since nothing is denied for an edition
/// that no catalogue knows. The edition remains as it was known before, or otherwise becomes a draft.
struct CatalogueReader {
    static let maxItems = 100_000

    private let known: Catalogue

    private(set) var reading = CatalogueReading()
    private var position = 0
    private var ids: Set<EditionID> = []
    private var products: [String: EditionID] = [:]

    /// - Parameter known: The previously known editions.
    init(known: Catalogue = Catalogue()) {
        self.known = known
    }

    /// Reads the next item.
    ///
    /// - Parameters:
    ///   - name: The item's identifier as written; nil if it has none.
    ///   - read: Converts the item to an edition, or throws the reason why that is impossible. Returns nil for an
    ///     item that is not an edition by design.
    /// - Throws: ``CatalogueFailure/tooManyEditions``.
    mutating func next(
        named name: String?, _ read: () throws(EditionItemProblem) -> Edition?
    ) throws(CatalogueFailure) {
        position += 1
        guard position <= Self.maxItems else { throw .tooManyEditions }
        do throws(EditionItemProblem) {
            guard let edition = try read() else { return }
            guard ids.insert(edition.id).inserted else { throw .repeated(edition.id) }
            if let product = edition.storeProductID {
                if let other = products[product] {
                    ids.remove(edition.id)
                    throw .sameProduct(other, edition.id)
                }
                products[product] = edition.id
            }
            reading.editions.append(edition)
        } catch {
            reading.problems.append(CatalogueProblem(position: position, reason: error.description))
            collect(name)
        }
    }

    private mutating func collect(_ name: String?) {
        guard let name = name?.trimmingCharacters(in: .whitespacesAndNewlines), let id = EditionID(name),
            ids.insert(id).inserted
        else { return }
        reading.unreadableEditions.insert(id)
        reading.editions.append(before(id) ?? Self.unpublished(id))
    }

    /// Returns the known edition; nil if there is none, or if another edition has its product now.
    private mutating func before(_ id: EditionID) -> Edition? {
        guard let edition = known[id] else { return nil }
        guard let product = edition.storeProductID else { return edition }
        guard products[product] == nil else { return nil }
        products[product] = id
        return edition
    }

    private static func unpublished(_ id: EditionID) -> Edition {
        Edition(id: id, title: id.rawValue, published: Date(timeIntervalSince1970: 0), isDraft: true)
    }

    /// Returns the collected editions together with the validators of the response.
    func finish(_ validators: CatalogueValidators?) -> CatalogueReading {
        var reading = reading
        reading.validators = validators
        return reading
    }
}
