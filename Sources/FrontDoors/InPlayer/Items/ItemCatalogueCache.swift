import Gatefold
import Synchronization

/// A cache of a shelf, which is made again only if the catalogue has changed.
final class ItemCatalogueCache: Sendable {
    private let known = Mutex<(version: Int, itemCatalogue: ItemCatalogue)?>(nil)

    func itemCatalogue(of version: CurrentCatalogue.Version, make: (Catalogue) -> ItemCatalogue) -> ItemCatalogue {
        if let known = known.withLock({ $0 }), known.version == version.number { return known.itemCatalogue }
        let itemCatalogue = make(version.catalogue)
        known.withLock { $0 = (version.number, itemCatalogue) }
        return itemCatalogue
    }
}
