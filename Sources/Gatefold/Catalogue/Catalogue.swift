public import Foundation

/// A publication's editions, newest first.
public struct Catalogue: Sendable, Equatable {
    /// Newest first; editions of the same moment stand in the order of their identifiers.
    public let editions: [Edition]
    public let freeEditions: Set<EditionID>
    private let positions: [EditionID: Int]
    private let products: [String: EditionID]

    /// Of two editions with one identifier the first given is kept.
    public init(_ editions: [Edition] = []) {
        var seen: Set<EditionID> = []
        self.editions = editions.filter { seen.insert($0.id).inserted }
            .sorted { ($1.published, $0.id) < ($0.published, $1.id) }
        positions = Dictionary(uniqueKeysWithValues: self.editions.enumerated().map { ($1.id, $0) })
        products = Dictionary(self.editions.compactMap { edition in edition.soldAs.map { ($0, edition.id) } }) { $1 }
        freeEditions = Set(self.editions.lazy.filter { $0.isFree && !$0.isDraft }.map(\.id))
    }

    public subscript(id: EditionID) -> Edition? { positions[id].map { editions[$0] } }

    /// The edition that stores sell as this product. Where there is no catalogue, a product that can be an edition is one.
    public func edition(soldAs product: String) -> EditionID? {
        editions.isEmpty ? EditionID(product) : products[product]
    }

    /// Whether the edition is everybody's at `moment`: free and out.
    public func isFree(_ id: EditionID, at moment: Date) -> Bool {
        guard freeEditions.contains(id), let edition = self[id] else { return false }
        return edition.published <= moment
    }

    /// Whether the edition is out at `moment`. Of one that the catalogue does not know nothing is said against it: whether it
    /// opens is then the subscriber system's word alone.
    public func isOut(_ id: EditionID, at moment: Date) -> Bool {
        guard !editions.isEmpty, let edition = self[id] else { return true }
        return !edition.isDraft && edition.published <= moment
    }

    /// Whether there can be such an edition: a publication without a catalogue may have any.
    func mayHave(_ id: EditionID) -> Bool { editions.isEmpty || positions[id] != nil }

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
