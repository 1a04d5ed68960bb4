import Settings

/// A source of editions in an external Atom or OPDS feed, including all its pages.
struct AtomCatalogue: CatalogueSource {
    let fetch: DocumentFetch
    let feed: AtomFeed
    let maxPages: Int

    func fetch(after known: KnownCatalogue) async throws -> CatalogueResult {
        guard let first = try await fetch(known: known.validators) else { return .unchanged }
        var reader = CatalogueReader(known: known.catalogue)
        var next = try feed.read(first.bytes, from: fetch.address, known: known.catalogue, into: &reader)
        // The validators of the first page do not cover the other pages, which can change independently.
        let validators = next == nil ? first.validators : nil
        var seen: Set<String> = []
        while let page = next {
            guard seen.insert(page).inserted, seen.count < maxPages else {
                throw CatalogueFailure.tooManyPages(limit: maxPages)
            }
            try Task.checkCancellation()
            guard let document = try await fetch(page: page, known: nil) else { throw CatalogueFailure.status(304) }
            next = try feed.read(document.bytes, from: page, known: known.catalogue, into: &reader)
        }
        return .read(reader.finish(validators))
    }
}

/// The catalogue source `kind: atom`.
struct AtomCatalogueKind: CatalogueSourceKind {
    static let name = "atom"
    private let place: DocumentLocation
    private let feed: AtomFeed
    private let maxPages: Int

    init(_ settings: SettingsSection) throws(SettingsError) {
        place = try DocumentLocation(
            settings, accepting: "application/atom+xml, application/xml;q=0.9, text/xml;q=0.8")
        feed = AtomFeed(
            idPrefix: try settings.string("id_prefix", default: ""), content: try ContentPrefix(settings),
            maxSize: 64 << 20)
        maxPages = try settings.integer("max_pages", default: 50, in: 1...1_000)
    }

    func open() throws -> any CatalogueSource {
        AtomCatalogue(fetch: place.open(), feed: feed, maxPages: maxPages)
    }
}
