public import Foundation

/// A publication's editions, newest first.
public struct Catalogue: Sendable, Equatable {
    /// Newest first; editions of the same moment stand in the order of their identifiers.
    public let editions: [Edition]
    public let freeEditions: Set<EditionID>
    /// Whether there is to be a catalogue, and nothing is known of it yet: then nobody can say which editions there are, which is
    /// not the same as that there are none, or that there is no catalogue.
    public let isAwaited: Bool
    private let positions: [EditionID: Int]
    private let products: [String: EditionID]
    private let files: [String: EditionID]

    /// Of two editions with one identifier the first given is kept.
    public init(_ editions: [Edition] = []) { self.init(editions, isAwaited: false) }

    /// The one of which nothing is known yet.
    public static let awaited = Catalogue([], isAwaited: true)

    private init(_ editions: [Edition], isAwaited: Bool) {
        self.isAwaited = isAwaited
        var seen: Set<EditionID> = []
        self.editions = editions.filter { seen.insert($0.id).inserted }
            .sorted { ($1.published, $0.id) < ($0.published, $1.id) }
        positions = Dictionary(uniqueKeysWithValues: self.editions.enumerated().map { ($1.id, $0) })
        products = Dictionary(self.editions.compactMap { edition in edition.soldAs.map { ($0, edition.id) } }) { $1 }
        files = Dictionary(self.editions.compactMap { edition in edition.file.map { ($0, edition.id) } }) { $1 }
        freeEditions = Set(self.editions.lazy.filter { $0.isFree && !$0.isDraft }.map(\.id))
    }

    public subscript(id: EditionID) -> Edition? { positions[id].map { editions[$0] } }

    /// Whether the publication has none at all: then any edition may be there.
    private var isNone: Bool { editions.isEmpty && !isAwaited }

    /// The edition that stores sell as this product. Where there is no catalogue, a product that can be an edition is one.
    public func edition(soldAs product: String) -> EditionID? { isNone ? EditionID(product) : products[product] }

    /// The edition whose archive is said to be this file below the publication's content. Where several have one, it is the
    /// oldest's.
    public func edition(whoseFileIs path: @autoclosure () -> String) -> EditionID? {
        files.isEmpty ? nil : files[path()]
    }

    /// Whether the edition is everybody's at `moment`: free and out.
    public func isFree(_ id: EditionID, at moment: Date) -> Bool {
        guard freeEditions.contains(id), let edition = self[id] else { return false }
        return edition.published <= moment
    }

    /// Whether the edition is out at `moment`. Of one that the catalogue does not know nothing is said against it: whether it
    /// opens is then the subscriber system's word alone. While the catalogue is awaited none is.
    public func isOut(_ id: EditionID, at moment: Date) -> Bool {
        guard let edition = self[id] else { return !isAwaited }
        return !edition.isDraft && edition.published <= moment
    }

    /// Those of the editions that are out at `moment`: a list of what a reader may have names no others.
    func out(of editions: Set<EditionID>, at moment: Date) -> Set<EditionID> {
        isNone ? editions : editions.filter { isOut($0, at: moment) }
    }

    /// Whether there can be such an edition: a publication without a catalogue may have any.
    public func mayHave(_ id: EditionID) -> Bool { isNone || positions[id] != nil }

    /// Where the edition's archive lies, for whoever may have it at `moment`; nil for an edition that nobody can have: one the
    /// catalogue does not know, a draft, or one of the future. One that was withdrawn is still there for those who hold it.
    public func archive(of id: EditionID, at moment: Date) -> EditionArchive? {
        guard mayHave(id), isOut(id, at: moment) else { return nil }
        return EditionArchive(edition: id, file: self[id]?.file)
    }

    /// What shelves show at `moment`, newest first.
    public func offered(at moment: Date) -> [Edition] { editions.filter { $0.isOffered(at: moment) } }

    /// The `count` newest editions already published at `moment`.
    public func newest(_ count: Int, at moment: Date) -> Set<EditionID> {
        Set(editions.lazy.filter { $0.isOffered(at: moment) }.prefix(max(0, count)).map(\.id))
    }

    /// The `count` editions that came out just before `id`; none when the catalogue does not know it.
    public func previous(_ count: Int, before id: EditionID) -> Set<EditionID> {
        guard let position = positions[id] else { return [] }
        return Set(editions[(position + 1)...].lazy.filter { !$0.isDraft }.prefix(max(0, count)).map(\.id))
    }

    /// The editions published while `period` ran, both ends included, and already published at `moment`.
    public func published(during period: Period, by moment: Date) -> Set<EditionID> {
        Set(
            editions.lazy.filter { !$0.isDraft && $0.published <= moment && period.contains($0.published) }
                .map(\.id))
    }
}
