import Crypto
import Foundation
import Gatefold

/// The rows of the timeline.
enum TimelineRow {
    static let table = "reader_event"
    /// The columns after `sequence`.
    static let columns = """
        subject, category, publication, time, last_time, count, kind, call, reason, device, edition, backend, freshness, \
        detail, repetition
        """
    static let columnCount = 15

    static func values(_ entry: TimelineEntry) -> StateArguments {
        let event = entry.event
        return [
            Data(entry.subject.bytes), entry.category.rawValue, event.publication?.rawValue,
            entry.time.timeIntervalSince1970, entry.lastTime.timeIntervalSince1970, entry.count, event.kind.rawValue,
            event.call, event.reason, event.device.map { Data($0.bytes) }, event.edition?.rawValue, event.backend,
            event.freshness, event.detail, repetition(of: entry),
        ]
    }

    /// Returns the digest that repetitions of an entry share within ``TimelineEntry/repetitionWindow``; nil if none are joined.
    static func repetition(of entry: TimelineEntry) -> Data? {
        guard let window = entry.repetitionWindow else { return nil }
        let event = entry.event
        let texts = [
            event.publication?.rawValue, event.kind.rawValue, event.call, event.reason, event.device?.description,
            event.edition?.rawValue, event.backend, event.freshness, event.detail,
            String((entry.time.timeIntervalSince1970 / window).rounded(.down)),
        ]
        var digest = SHA256()
        digest.update(data: Data(entry.subject.bytes))
        digest.update(data: [UInt8(truncatingIfNeeded: entry.category.rawValue)])
        for text in texts {
            // The length separates the texts. No text has a negative one.
            withUnsafeBytes(of: Int64(text?.utf8.count ?? -1).bigEndian) { digest.update(bufferPointer: $0) }
            digest.update(data: Data((text ?? "").utf8))
        }
        return Data(digest.finalize().prefix(16))
    }

    /// - Parameter row: A row with `sequence` and ``columns``. A name that this release does not accept is left out.
    static func entry(_ row: StateRow) throws -> StoredTimelineEntry {
        func text(_ index: Int) throws -> String? { try StateRow.optional(StateRow.text, row, index, table) }
        guard let subject = TimelineSubject(bytes: try StateRow.bytes(row, 1, table)) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        let event = TimelineEvent(
            TimelineEvent.Kind(rawValue: try StateRow.text(row, 7, table)),
            in: try text(3).flatMap { PublicationID($0) }, call: try text(8), reason: try text(9),
            device: try StateRow.optional(StateRow.bytes, row, 10, table).flatMap { DevicePseudonym(bytes: $0) },
            edition: try text(11).flatMap { EditionID($0) }, backend: try text(12), freshness: try text(13),
            detail: try text(14))
        let time = try StateRow.date(row, 4, table)
        return StoredTimelineEntry(
            position: TimelinePosition(time: time, sequence: try StateRow.integer(row, 0, table)),
            entry: TimelineEntry(
                event, of: subject, in: TimelineCategory(rawValue: try StateRow.count(row, 2, table)), at: time,
                until: try StateRow.date(row, 5, table), count: try StateRow.count(row, 6, table)))
    }
}
