import Settings

/// The catalogue source `kind: baker`.
struct BakerCatalogueKind: CatalogueSourceKind {
    static let name = "baker"
    private let place: DocumentLocation
    private let content: ContentPrefix

    init(_ settings: SettingsSection) throws(SettingsError) {
        place = try DocumentLocation(settings, accepting: "application/json, text/json;q=0.9, */*;q=0.1")
        content = try ContentPrefix(settings)
    }

    func open() throws -> any CatalogueSource {
        let fetch = place.open()
        return BakerCatalogue(fetch: fetch, shelf: BakerShelf(content: content, address: fetch.address))
    }
}
