import Catalogues
import Gatefold
import Server

extension PublicationConfiguration {
    /// The catalogue that a server has at its start: the one of the configuration, or what was last fetched from its source.
    ///
    /// - Parameter memory: the publication's.
    /// - Returns: nil where the source has never been asked with success.
    func knownCatalogue(_ memory: CatalogueMemory) -> Catalogue? {
        switch catalogue {
        case .editions(let written): Catalogue(written)
        case .source: memory.remembered.catalogue
        }
    }
}
