import Foundation
import Gatefold
import Synchronization

/// A document about a catalogue, made anew only when it would differ: when the catalogue has changed, or the time has come
/// for another edition.
final class DocumentMemory: Sendable {
    private struct Entry {
        let catalogue: Catalogue
        let from: Date
        /// Nil where nothing is to come.
        let until: Date?
        let document: CacheableDocument
    }

    private let entry = Mutex<Entry?>(nil)

    func document(
        of catalogue: Catalogue, at moment: Date, make: ([Edition]) -> CacheableDocument
    ) -> CacheableDocument {
        let known = entry.withLock { $0 }
        if let known, known.from <= moment, known.until.map({ moment < $0 }) ?? true, known.catalogue == catalogue {
            return known.document
        }
        let next = catalogue.editions.filter { $0.published > moment }.map(\.published).min()
        let made = Entry(
            catalogue: catalogue, from: moment, until: next, document: make(catalogue.offered(at: moment)))
        entry.withLock { $0 = made }
        return made.document
    }

    /// When what is shown of these editions last changed.
    static func changed(_ editions: [Edition], by moment: Date) -> Date {
        min(moment, editions.map { $0.details.updated ?? $0.published }.max() ?? Date(timeIntervalSince1970: 0))
    }
}
