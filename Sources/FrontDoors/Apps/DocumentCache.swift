import Foundation
import Gatefold
import Synchronization

/// A cache of a JSON document about a catalogue. The document is made again only if it would differ: when the
/// catalogue changes, or when the publication time of another edition comes.
final class DocumentCache: Sendable {
    private struct Entry {
        let catalogue: Catalogue
        let from: Date
        /// The end of the entry's validity, or `nil` if no edition is still to come.
        let until: Date?
        let document: CacheableDocument
    }

    private let entry = Mutex<Entry?>(nil)

    func document(
        of catalogue: Catalogue, at timestamp: Date, make: ([Edition]) -> [UInt8]
    ) -> CacheableDocument {
        let known = entry.withLock { $0 }
        if let known, known.from <= timestamp, known.until.map({ timestamp < $0 }) ?? true, known.catalogue == catalogue
        {
            return known.document
        }
        let next = catalogue.editions.filter { $0.published > timestamp }.map(\.published).min()
        let bytes = make(catalogue.offered(at: timestamp))
        let document: CacheableDocument
        if let known, known.document.bytes == bytes {
            document = known.document
        } else {
            // The editions' own dates of change do not suffice: an edition may be withdrawn, or corrected without a
            // new date. Two changes within one second get different dates.
            let changed = max(timestamp, known?.document.lastModified.addingTimeInterval(1) ?? .distantPast)
            document = CacheableDocument(bytes: bytes, contentType: JSONResponse.type, lastModified: changed)
        }
        entry.withLock { $0 = Entry(catalogue: catalogue, from: timestamp, until: next, document: document) }
        return document
    }
}
