import Gatefold
import Settings

/// The editions of somebody's Atom or OPDS feed, all its pages.
struct AtomCatalogue: CatalogueSource {
    let fetch: DocumentFetch
    let feed: AtomFeed
    let mostPages: Int

    func fetch(after known: KnownCatalogue) async throws -> CatalogueAnswer {
        guard let first = try await fetch(known: known.validators) else { return .unchanged }
        var reader = CatalogueReader(known: known.catalogue)
        var next = try feed.read(first.bytes, from: fetch.address, known: known.catalogue, into: &reader)
        // The first page alone says nothing of the others, which can change without it.
        let validators = next == nil ? first.validators : nil
        var seen: Set<String> = []
        while let page = next {
            guard seen.insert(page).inserted, seen.count < mostPages else {
                throw CatalogueFailure.tooManyPages(limit: mostPages)
            }
            try Task.checkCancellation()
            guard let document = try await fetch(page: page, known: nil) else { throw CatalogueFailure.status(304) }
            next = try feed.read(document.bytes, from: page, known: known.catalogue, into: &reader)
        }
        return .read(reader.finish(validators))
    }
}

/// `kind: atom`
struct AtomCatalogueKind: CatalogueSourceKind {
    static let name = "atom"
    private let place: DocumentPlace
    private let feed: AtomFeed
    private let mostPages: Int

    init(_ settings: SettingsSection) throws(SettingsError) {
        place = try DocumentPlace(
            settings, accepting: "application/atom+xml, application/xml;q=0.9, text/xml;q=0.8")
        feed = AtomFeed(
            idPrefix: try settings.string("id_prefix", default: ""), content: try ContentPrefix(settings),
            largest: 64 << 20)
        mostPages = try settings.integer("pages_at_most", default: 50, in: 1...1_000)
    }

    func open() throws -> any CatalogueSource {
        AtomCatalogue(fetch: place.open(), feed: feed, mostPages: mostPages)
    }
}
