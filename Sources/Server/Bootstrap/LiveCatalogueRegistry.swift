import Catalogues
import Gatefold

/// The catalogues in force. When the configuration is read again, a catalogue with unchanged settings stays with
/// its last fetched editions. The record of announced editions stays in any case.
struct LiveCatalogueRegistry: Sendable {
    private var entries: [PublicationID: CachedCatalogue] = [:]

    init() {}

    /// - Parameters:
    ///   - folder: The folder of the catalogue cache; nil for no cache.
    ///   - isWritten: A Boolean value that indicates whether new catalogues are written to the cache.
    /// - Throws: ``BootstrapError/catalogue(publication:cause:)``.
    init(
        _ publications: [PublicationConfiguration], folder: String?, isWritten: Bool = true,
        services: CatalogueServices,
        reusing before: LiveCatalogueRegistry? = nil
    ) throws {
        for publication in publications {
            let id = publication.publication.id
            let old = before?.entries[id]
            let cache = old?.cache ?? CatalogueCache(folder: folder, publication: id, isWritten: isWritten)
            switch publication.catalogue {
            case .editions(let editions):
                if let old, old.plan == nil, old.current.value == Catalogue(editions) {
                    entries[id] = old
                } else {
                    entries[id] = CachedCatalogue(id, editions, cache: cache, services: services)
                }
            case .source(let plan):
                if let old, old.plan?.fingerprint == plan.fingerprint {
                    entries[id] = old
                    continue
                }
                do {
                    entries[id] = try CachedCatalogue(
                        id, plan, cache: cache, services: services, before: old?.current.value)
                } catch {
                    throw BootstrapError.catalogue(publication: id, cause: "\(error)")
                }
            }
        }
    }

    subscript(id: PublicationID) -> CachedCatalogue? { entries[id] }

    /// All catalogues, in alphabetical order.
    var all: [CachedCatalogue] { entries.sorted { $0.key < $1.key }.map(\.value) }
}
