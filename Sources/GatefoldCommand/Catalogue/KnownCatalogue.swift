import Catalogues
import Gatefold
import Server

extension PublicationConfiguration {
    /// Returns the catalogue with which a server starts: that of the configuration, or the last one fetched from
    /// the source.
    ///
    /// - Parameter cache: The publication's cached catalogue.
    /// - Returns: The catalogue, or nil if no fetch from the source has succeeded.
    func knownCatalogue(_ cache: CatalogueCache) -> Catalogue? {
        switch catalogue {
        case .editions(let written): Catalogue(written)
        case .source: cache.snapshot.catalogue
        }
    }
}
