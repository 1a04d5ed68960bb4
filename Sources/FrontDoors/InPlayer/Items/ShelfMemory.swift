import Gatefold
import Synchronization

/// A shelf, made anew only when the catalogue has changed.
final class ShelfMemory: Sendable {
    private let known = Mutex<(version: Int, shelf: ItemShelf)?>(nil)

    func shelf(of version: CurrentCatalogue.Version, make: (Catalogue) -> ItemShelf) -> ItemShelf {
        if let known = known.withLock({ $0 }), known.version == version.number { return known.shelf }
        let shelf = make(version.catalogue)
        known.withLock { $0 = (version.number, shelf) }
        return shelf
    }
}
