/// The statements on the timeline. Each finds its rows by an index, so that its time hardly depends on the number of events of
/// other readers.
enum TimelineStatements {
    /// The maximum number of rows that one statement deletes. It bounds the time that other writers wait.
    static let batch = 1_000

    /// Inserts entries, or adds them to the entry that they repeat.
    static func append(_ count: Int) -> String {
        """
        INSERT INTO reader_event (\(TimelineRow.columns)) VALUES \(tuples(count, of: TimelineRow.columnCount))
        ON CONFLICT (repetition) WHERE repetition IS NOT NULL DO UPDATE SET
            last_time = CASE WHEN excluded.last_time > reader_event.last_time
                THEN excluded.last_time ELSE reader_event.last_time END,
            count = reader_event.count + excluded.count
        """
    }

    /// Records that a process wrote its events up to a number.
    static let recordWriter = """
        INSERT INTO timeline_writer (id, number, written) VALUES (?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET number = excluded.number, written = excluded.written
        """

    static func insertReaders(_ count: Int) -> String {
        "INSERT INTO known_reader (subject, sealed) VALUES \(tuples(count, of: 2)) ON CONFLICT (subject) DO NOTHING"
    }

    /// Reads the entries of a subject in one category, newest first.
    static func page(isFirst: Bool) -> String {
        """
        SELECT sequence, \(TimelineRow.columns) FROM reader_event
        WHERE subject = ? AND category = ?\(isFirst ? "" : " AND (time, sequence) < (?, ?)")
        ORDER BY time DESC, sequence DESC LIMIT ?
        """
    }

    /// Deletes the oldest entries of a subject in one category beyond a number.
    static let trim = """
        DELETE FROM reader_event WHERE sequence IN (
            SELECT sequence FROM reader_event WHERE subject = ? AND category = ?
            ORDER BY time DESC, sequence DESC LIMIT \(batch) OFFSET ?)
        """

    /// Deletes old entries of one category.
    static let prune = """
        DELETE FROM reader_event WHERE sequence IN (
            SELECT sequence FROM reader_event WHERE category = ? AND time < ? LIMIT \(batch))
        RETURNING subject
        """

    /// Reads the time of the entry of a category beyond a number of newer ones.
    static let oldest = "SELECT time FROM reader_event WHERE category = ? ORDER BY time DESC LIMIT 1 OFFSET ?"

    /// Deletes readers without events.
    static func forgetReaders(_ count: Int) -> String {
        """
        DELETE FROM known_reader WHERE subject IN \(tuples(1, of: count))
            AND NOT EXISTS (SELECT 1 FROM reader_event WHERE reader_event.subject = known_reader.subject)
        """
    }

    static func findErased(_ count: Int) -> String {
        "SELECT subject, erased FROM erased_reader WHERE subject IN \(tuples(1, of: count))"
    }

    /// Records that a reader is erased.
    static let erase = """
        INSERT INTO erased_reader (subject, erased, seen) VALUES (?, ?, ?)
        ON CONFLICT (subject) DO UPDATE SET erased = excluded.erased, seen = excluded.seen
        """

    /// Records that events of an erased reader still arrive.
    static func renewErased(_ count: Int) -> String {
        "UPDATE erased_reader SET seen = ? WHERE seen < ? AND subject IN \(tuples(1, of: count))"
    }

    static func endErasure(_ count: Int) -> String {
        "DELETE FROM erased_reader WHERE subject IN \(tuples(1, of: count))"
    }

    /// Returns placeholders for the values of some rows.
    private static func tuples(_ count: Int, of columns: Int) -> String {
        let row = "(" + Array(repeating: "?", count: columns).joined(separator: ", ") + ")"
        return Array(repeating: row, count: count).joined(separator: ", ")
    }
}
