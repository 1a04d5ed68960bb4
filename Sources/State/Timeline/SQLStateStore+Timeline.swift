package import Foundation
package import Gatefold
import Primitives
import Synchronization

extension SQLStateStore {
    /// The minimum interval in seconds between two writes about one known reader.
    private static let minReaderInterval: TimeInterval = 86_400

    package func append(_ batch: TimelineBatch) async throws {
        let now = clock.now.timeIntervalSince1970
        try await database.write(.statements) { db in
            try StatementPart.each(of: batch.entries) { entries in
                try db.execute(
                    "INSERT INTO \(TimelineRow.table) (\(TimelineRow.columns)) VALUES \(Self.tuples(entries.count, of: 13))",
                    entries.flatMap { TimelineRow.values($0) })
            }
            try StatementPart.each(of: batch.readers) { readers in
                let values = readers.flatMap { reader -> StateArguments in
                    [Data(TimelineSubject.subscriber(reader.pseudonym).bytes), Data(reader.sealed.bytes), now]
                }
                try db.execute(
                    """
                    INSERT INTO known_reader (subject, sealed, seen) VALUES \(Self.tuples(readers.count, of: 3))
                    ON CONFLICT (subject) DO UPDATE SET sealed = excluded.sealed, seen = excluded.seen
                        WHERE known_reader.seen < excluded.seen - \(Self.minReaderInterval)
                    """, values)
            }
            try StatementPart.each(of: batch.trimmed) { subjects in
                let bytes = subjects.map { Data($0.bytes) }
                let placeholders = Array(repeating: "?", count: subjects.count).joined(separator: ", ")
                try db.execute(
                    """
                    DELETE FROM reader_event WHERE sequence IN (
                        SELECT sequence FROM (
                            SELECT sequence, row_number() OVER (
                                PARTITION BY subject ORDER BY time DESC, sequence DESC) AS number
                            FROM reader_event WHERE subject IN (\(placeholders))) AS numbered
                        WHERE number > ?)
                    """, bytes + [batch.entriesPerSubject] as StateArguments)
            }
        }
    }

    package func entries(
        of subject: TimelineSubject, before position: TimelinePosition?, limit: Int
    ) async throws -> [StoredTimelineEntry] {
        let bytes = Data(subject.bytes)
        return try await database.read { db in
            var condition = "subject = ?"
            var arguments: StateArguments = [bytes]
            if let position {
                condition += " AND (time, sequence) < (?, ?)"
                arguments += [position.time.timeIntervalSince1970, position.sequence] as StateArguments
            }
            return try self.readable(
                db,
                """
                SELECT sequence, \(TimelineRow.columns) FROM \(TimelineRow.table) WHERE \(condition)
                ORDER BY time DESC, sequence DESC LIMIT ?
                """, arguments, limit: limit, for: "events", name: { RowName.number($0, 0) }, read: TimelineRow.entry)
        }
    }

    package func knownReader(_ pseudonym: SubscriberPseudonym) async throws -> SealedReader? {
        let subject = Data(TimelineSubject.subscriber(pseudonym).bytes)
        return try await database.read { db in
            try db.bytes("SELECT sealed FROM known_reader WHERE subject = ?", [subject]).map {
                SealedReader(bytes: Array($0))
            }
        }
    }

    package func eraseTimeline(of subjects: [TimelineSubject]) async throws -> Int {
        try await database.write { db in try Self.eraseTimeline(of: subjects, db) }
    }

    /// Deletes the entries of readers in the caller's transaction.
    static func eraseTimeline(of subjects: [TimelineSubject], _ db: any StateTransaction) throws -> Int {
        var removed = 0
        for subject in subjects {
            removed += try db.execute("DELETE FROM reader_event WHERE subject = ?", [Data(subject.bytes)])
            try db.execute("DELETE FROM known_reader WHERE subject = ?", [Data(subject.bytes)])
        }
        return removed
    }

    package func retainTimeline(for seconds: TimeInterval) { timelineRetention.withLock { $0 = seconds } }

    /// Returns placeholders for the values of some rows.
    private static func tuples(_ count: Int, of columns: Int) -> String {
        let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
        return Array(repeating: row, count: count).joined(separator: ", ")
    }
}
