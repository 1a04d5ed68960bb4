import Foundation

/// The statements that start a transaction, sent together.
struct PostgreSQLTransactionStart: Sendable {
    /// The query for the server's time.
    private static let time = "SELECT extract(epoch FROM clock_timestamp())::double precision"
    /// Requires that a commit is on disk when it is acknowledged, even if the server or the role disabled it.
    private static let durability = """
        DO 'BEGIN IF current_setting(''synchronous_commit'') = ''off'' THEN
            SET LOCAL synchronous_commit = on; END IF; END';
        """

    /// Starts a transaction that sees the state as of one moment.
    var read: String { read(locking: []) }
    private let schema: PostgreSQLSchemaName
    private let settings: String

    /// - Parameter timeout: The time limit for a statement. A node that stops for longer within a transaction loses it,
    ///   so that it does not hold rows that other nodes need.
    init(schema: PostgreSQLSchemaName, timeout: Duration) {
        self.schema = schema
        let milliseconds = timeout / .milliseconds(1)
        settings = """
            SET LOCAL search_path = \(schema.quoted), pg_temp;
            SET LOCAL bytea_output = hex; SET LOCAL extra_float_digits = 1;
            SET LOCAL statement_timeout = \(Int(milliseconds));
            SET LOCAL idle_in_transaction_session_timeout = \(Int(milliseconds));
            """
    }

    /// Returns the statements that start a transaction that sees the state as of one moment, at which it already has locks on
    /// some tables. No other transaction can change the columns of these tables from then on.
    ///
    /// The first query determines the moment, so the locks come before it. A change in between would be visible in the
    /// columns of the tables but not in their rows.
    func read(locking tables: [String]) -> String {
        let lock = tables.isEmpty ? "" : "LOCK TABLE \(tables.joined(separator: ", ")) IN ACCESS SHARE MODE;"
        return """
            BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \(settings) \(lock)
            \(Self.time)
            """
    }

    /// Returns the statements that start a transaction that may write.
    ///
    /// A statement of a transaction with a lock sees all that was committed before it started, and so all changes of
    /// transactions that had the lock before.
    ///
    /// - Parameter token: A unique token. The transaction writes it, so that a commit without a response can be looked up.
    func write(_ isolation: StateIsolation, token: UUID) -> String {
        let level: String
        var lock = ""
        switch isolation {
        case .serializable: level = "SERIALIZABLE"
        case .statements: level = "READ COMMITTED"
        case .locked(let stateLock):
            level = "READ COMMITTED"
            // The lock is taken in a block without a result, because only the last statement may return rows. It ends with
            // the transaction, as PgBouncer requires.
            lock = "DO 'BEGIN PERFORM pg_advisory_xact_lock(\(stateLock.number(in: schema.name))); END';"
        }
        return """
            BEGIN ISOLATION LEVEL \(level) READ WRITE; \(settings) \(Self.durability) \(lock)
            INSERT INTO write_token (token) VALUES ('\(token)'); \(Self.time)
            """
    }
}

/// The name of the schema with the tables of the state.
package struct PostgreSQLSchemaName: Sendable, Hashable {
    package let name: String

    /// - Parameter name: 1 to 63 lower-case letters, digits and underscores, and no digit first. Nil is returned for
    ///   another name, or for one that begins with `pg_`.
    package init?(_ name: String) {
        let allowed = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "_")
        }
        guard allowed, (1...63).contains(name.utf8.count), !name.hasPrefix("pg_"), name.first?.isNumber == false else {
            return nil
        }
        self.name = name
    }

    /// The name as an identifier of SQL.
    var quoted: String { "\"\(name)\"" }
}
