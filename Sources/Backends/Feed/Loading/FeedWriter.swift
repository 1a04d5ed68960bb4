import Foundation
import GRDB
import SQLAccess

/// A writer of a new feed's database. It writes without a journal and flushes to disk once, at the end, because
/// nothing reads the database before it is complete, and an incomplete one is discarded.
struct FeedWriter {
    private let path: String
    private let queue: DatabaseQueue

    init(path: String) throws {
        self.path = path
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA cache_size = -65536
                    """)
        }
        PrivateFile.createIfMissing(path)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Writes all rows in one transaction.
    ///
    /// - Parameter body: a closure that passes the rows one by one, and returns the summary of the feed. This
    ///   function fills in the counts of readers.
    func write(
        _ columns: FeedColumns, _ body: (_ add: (FeedWriter.Line) throws -> Void) throws -> FeedSummary
    ) throws -> FeedSummary {
        let summary = try queue.inDatabase { db in
            var summary: FeedSummary?
            try db.inTransaction {
                try db.execute(
                    sql: """
                        CREATE TABLE feed (summary BLOB NOT NULL);
                        CREATE TABLE line (
                            id INTEGER PRIMARY KEY, identifier TEXT NOT NULL, key TEXT, proof TEXT, salt TEXT,
                            cells BLOB NOT NULL)
                        """)
                let insert = try db.makeStatement(
                    sql: "INSERT INTO line (identifier, key, proof, salt, cells) VALUES (?, ?, ?, ?, ?)")
                var read = try body { line in
                    try insert.execute(
                        arguments: [line.identifier, line.key, line.proof, line.salt, Data(line.cells)])
                }
                try db.execute(sql: "CREATE INDEX line_identifier ON line (identifier)")
                if columns.key != nil { try db.execute(sql: "CREATE INDEX line_key ON line (key)") }
                try Self.count(columns, &read, db)
                try db.execute(
                    sql: "INSERT INTO feed (summary) VALUES (?)", arguments: [try JSONEncoder().encode(read)])
                summary = read
                return .commit
            }
            return summary
        }
        try queue.close()
        try Self.synchronise(path)
        guard let summary else { throw FeedRejection.disk("it was not written") }
        return summary
    }

    struct Line {
        let identifier: String
        let key: String?
        let proof: String?
        let salt: String?
        let cells: [UInt8]
    }

    private static func count(_ columns: FeedColumns, _ summary: inout FeedSummary, _ db: Database) throws {
        let keyName = columns.key == nil ? "identifier" : "key"
        summary.readers =
            try Int.fetchOne(db, sql: "SELECT count(*) FROM (SELECT 1 FROM line GROUP BY \(keyName))") ?? 0
        summary.ambiguous =
            try Int.fetchOne(
                db,
                sql: """
                    SELECT count(*) FROM (
                        SELECT 1 FROM line WHERE identifier IN (
                            SELECT identifier FROM line GROUP BY identifier HAVING count(*) > 1)
                        GROUP BY identifier
                        HAVING min(ifnull(key, '')) <> max(ifnull(key, ''))
                            OR count(DISTINCT proof) > 1 OR count(DISTINCT salt) > 1)
                    """) ?? 0
    }

    /// Flushes a file, or the entries of a folder, to disk.
    static func synchronise(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FeedRejection.disk(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw FeedRejection.disk(String(cString: strerror(errno))) }
    }
}
