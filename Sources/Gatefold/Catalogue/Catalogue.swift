public import Foundation

/// The editions of a publication, newest first.
public struct Catalogue: Sendable, Equatable {
    /// The contents, shared by all copies, because each request copies the catalogue.
    private final class Contents: Sendable {
        let editions: [Edition]
        let freeEditions: Set<EditionID>
        let isPending: Bool
        /// The time from which every edition is published, or nil if one of them is a draft.
        let allPublished: Date?
        let positions: [EditionID: Int]
        let products: [String: EditionID]
        let files: [String: EditionID]

        init(_ editions: [Edition], isPending: Bool) {
            self.isPending = isPending
            var seen: Set<EditionID> = []
            self.editions = editions.filter { seen.insert($0.id).inserted }
                .sorted { ($1.published, $0.id) < ($0.published, $1.id) }
            allPublished =
                self.editions.contains(where: \.isDraft) ? nil : self.editions.first?.published ?? .distantPast
            positions = Dictionary(uniqueKeysWithValues: self.editions.enumerated().map { ($1.id, $0) })
            products = Dictionary(
                self.editions.compactMap { edition in edition.storeProductID.map { ($0, edition.id) } }
            ) { $1 }
            files = Dictionary(self.editions.compactMap { edition in edition.file.map { ($0, edition.id) } }) { $1 }
            freeEditions = Set(self.editions.lazy.filter { $0.isFree && !$0.isDraft }.map(\.id))
        }
    }

    private let contents: Contents

    /// The editions, newest first. Editions with the same publication date are ordered by identifier.
    public var editions: [Edition] { contents.editions }

    public var freeEditions: Set<EditionID> { contents.freeEditions }

    /// A Boolean value that indicates whether the publication has a catalogue that is not loaded yet.
    ///
    /// Its editions are unknown until then. That differs from an empty catalogue and from a publication without a
    /// catalogue.
    public var isPending: Bool { contents.isPending }

    /// Creates a catalogue. If two editions have the same identifier, the catalogue contains the first.
    public init(_ editions: [Edition] = []) { self.init(editions, isPending: false) }

    /// A catalogue that is not loaded yet.
    public static let pending = Catalogue([], isPending: true)

    private init(_ editions: [Edition], isPending: Bool) {
        contents = Contents(editions, isPending: isPending)
    }

    public static func == (one: Catalogue, other: Catalogue) -> Bool {
        one.contents === other.contents || one.isPending == other.isPending && one.editions == other.editions
    }

    public subscript(id: EditionID) -> Edition? { contents.positions[id].map { editions[$0] } }

    /// A Boolean value that indicates whether the publication has no catalogue. Any edition can then exist.
    private var hasNoCatalogue: Bool { editions.isEmpty && !isPending }

    /// Returns the edition that stores sell as this product. Without a catalogue, every product that is a valid
    /// edition identifier is an edition.
    public func edition(storeProductID product: String) -> EditionID? {
        hasNoCatalogue ? EditionID(product) : contents.products[product]
    }

    /// Returns the edition whose archive is this file below the publication's content. If several editions name the
    /// file, the result is the oldest.
    public func edition(forFile path: @autoclosure () -> String) -> EditionID? {
        contents.files.isEmpty ? nil : contents.files[path()]
    }

    /// Returns whether the edition is free and published at `timestamp`, so that every reader may have it.
    public func isFree(_ id: EditionID, at timestamp: Date) -> Bool {
        guard freeEditions.contains(id), let edition = self[id] else { return false }
        return edition.published <= timestamp
    }

    /// Returns whether the edition is published at `timestamp`.
    ///
    /// The result is `true` for an edition that the catalogue does not contain: the subscriber system alone then
    /// decides about access. While the catalogue is awaited, no edition is published.
    public func isPublished(_ id: EditionID, at timestamp: Date) -> Bool {
        guard let edition = self[id] else { return !isPending }
        return !edition.isDraft && edition.published <= timestamp
    }

    /// Returns the editions that are published at `timestamp`. A list of a reader's editions contains no others.
    func out(of editions: Set<EditionID>, at timestamp: Date) -> Set<EditionID> {
        if !isPending, let allPublished = contents.allPublished, allPublished <= timestamp { return editions }
        return editions.filter { isPublished($0, at: timestamp) }
    }

    /// Returns whether the edition can exist. A publication without a catalogue may have any edition.
    public func mayContain(_ id: EditionID) -> Bool { hasNoCatalogue || contents.positions[id] != nil }

    /// Returns the location of the edition's archive at `timestamp`, for readers with access to the edition.
    ///
    /// The result is nil if the catalogue does not contain the edition, or if it is a draft or not published yet. A
    /// withdrawn edition still has an archive for the readers who own it.
    public func archive(of id: EditionID, at timestamp: Date) -> EditionArchive? {
        guard mayContain(id), isPublished(id, at: timestamp) else { return nil }
        return EditionArchive(edition: id, file: self[id]?.file)
    }

    /// Returns the editions that shelves show at `timestamp`, newest first.
    public func offered(at timestamp: Date) -> [Edition] { editions.filter { $0.isOffered(at: timestamp) } }

    /// Returns the `count` newest editions already published at `timestamp`.
    public func newest(_ count: Int, at timestamp: Date) -> Set<EditionID> {
        Set(editions.lazy.filter { $0.isOffered(at: timestamp) }.prefix(max(0, count)).map(\.id))
    }

    /// Returns the `count` editions published immediately before `id`, or none if the catalogue does not contain
    /// `id`.
    public func previous(_ count: Int, before id: EditionID) -> Set<EditionID> {
        guard let position = contents.positions[id] else { return [] }
        return Set(editions[(position + 1)...].lazy.filter { !$0.isDraft }.prefix(max(0, count)).map(\.id))
    }

    /// Returns the editions published within `period`, both ends included, and already published at `timestamp`.
    public func published(during period: Period, by timestamp: Date) -> Set<EditionID> {
        Set(
            editions.lazy.filter { !$0.isDraft && $0.published <= timestamp && period.contains($0.published) }
                .map(\.id))
    }
}
