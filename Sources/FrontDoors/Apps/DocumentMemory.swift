import Foundation
import Gatefold
import Synchronization

/// A document in JSON about a catalogue, made anew only when it would differ: when the catalogue has changed, or the time has come
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
        of catalogue: Catalogue, at moment: Date, make: ([Edition]) -> [UInt8]
    ) -> CacheableDocument {
        let known = entry.withLock { $0 }
        if let known, known.from <= moment, known.until.map({ moment < $0 }) ?? true, known.catalogue == catalogue {
            return known.document
        }
        let next = catalogue.editions.filter { $0.published > moment }.map(\.published).min()
        let bytes = make(catalogue.offered(at: moment))
        let document: CacheableDocument
        if let known, known.document.bytes == bytes {
            document = known.document
        } else {
            // Not when an edition says that it changed: one may be withdrawn, or put right without a word on it. Two changes in
            // one second have two dates.
            let changed = max(moment, known?.document.lastModified.addingTimeInterval(1) ?? .distantPast)
            document = CacheableDocument(bytes: bytes, contentType: JSONAnswer.type, lastModified: changed)
        }
        entry.withLock { $0 = Entry(catalogue: catalogue, from: moment, until: next, document: document) }
        return document
    }
}
