import Foundation
import Gatefold

/// The rows of the timeline.
enum TimelineRow {
    static let table = "reader_event"
    /// The columns after `sequence`.
    static let columns = """
        subject, publication, time, last_time, count, kind, call, reason, device, edition, backend, freshness, detail
        """

    static func values(_ entry: TimelineEntry) -> StateArguments {
        let event = entry.event
        return [
            Data(entry.subject.bytes), event.publication?.rawValue, entry.time.timeIntervalSince1970,
            entry.lastTime.timeIntervalSince1970, entry.count, event.kind.rawValue, event.call, event.reason,
            event.device.map { Data($0.bytes) }, event.edition?.rawValue, event.backend, event.freshness, event.detail,
        ]
    }

    /// - Parameter row: A row with `sequence` and ``columns``. A name that this release does not accept is left out.
    static func entry(_ row: StateRow) throws -> StoredTimelineEntry {
        func text(_ index: Int) throws -> String? { try StateRow.optional(StateRow.text, row, index, table) }
        guard let subject = TimelineSubject(bytes: try StateRow.bytes(row, 1, table)) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        let event = TimelineEvent(
            TimelineEvent.Kind(rawValue: try StateRow.text(row, 6, table)),
            in: try text(2).flatMap { PublicationID($0) }, call: try text(7), reason: try text(8),
            device: try StateRow.optional(StateRow.bytes, row, 9, table).flatMap { DevicePseudonym(bytes: $0) },
            edition: try text(10).flatMap { EditionID($0) }, backend: try text(11), freshness: try text(12),
            detail: try text(13))
        let time = try StateRow.date(row, 3, table)
        return StoredTimelineEntry(
            position: TimelinePosition(time: time, sequence: try StateRow.integer(row, 0, table)),
            entry: TimelineEntry(
                event, of: subject, at: time, until: try StateRow.date(row, 4, table),
                count: try StateRow.count(row, 5, table)))
    }
}
