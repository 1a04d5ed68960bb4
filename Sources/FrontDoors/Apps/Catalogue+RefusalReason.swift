import Gatefold

extension Catalogue {
    /// Returns the reason why an edition has no archive.
    ///
    /// - Parameter edition: The edition; nil if the text of the app is no identifier.
    func reasonForNoArchive(of edition: EditionID?) -> RefusalReason {
        edition.map(mayContain) == true ? .notYetPublished : .unknownEdition
    }
}
