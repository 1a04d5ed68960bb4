import Catalogues
import Gatefold

/// The catalogues in force. One whose settings stay the same stays when the configuration is read again, with what was last
/// fetched; what was announced stays in any case.
struct OpenCatalogues: Sendable {
    private var entries: [PublicationID: KeptCatalogue] = [:]

    init() {}

    /// - Parameters:
    ///   - folder: where they are remembered; nil for nowhere.
    ///   - isWritten: whether what is new is remembered there as well.
    /// - Throws: ``AssemblyError/catalogue(publication:cause:)``.
    init(
        _ publications: [PublicationConfiguration], folder: String?, isWritten: Bool = true,
        services: CatalogueServices,
        keeping before: OpenCatalogues? = nil
    ) throws {
        for publication in publications {
            let id = publication.publication.id
            let old = before?.entries[id]
            let memory = old?.memory ?? CatalogueMemory(folder: folder, publication: id, isWritten: isWritten)
            switch publication.catalogue {
            case .editions(let editions):
                if let old, old.plan == nil, old.current.value == Catalogue(editions) {
                    entries[id] = old
                } else {
                    entries[id] = KeptCatalogue(id, editions, memory: memory, services: services)
                }
            case .source(let plan):
                if let old, old.plan?.fingerprint == plan.fingerprint {
                    entries[id] = old
                    continue
                }
                do {
                    entries[id] = try KeptCatalogue(
                        id, plan, memory: memory, services: services, before: old?.current.value)
                } catch {
                    throw AssemblyError.catalogue(publication: id, cause: "\(error)")
                }
            }
        }
    }

    subscript(id: PublicationID) -> KeptCatalogue? { entries[id] }

    /// In alphabetical order.
    var all: [KeptCatalogue] { entries.sorted { $0.key < $1.key }.map(\.value) }
}
