import Foundation

/// A copy of a whole state into an empty one, of the same or another kind.
///
/// No server may use either state meanwhile. A copy that was interrupted continues at the next call, because the rows of
/// each table are copied in the order of their keys. Until it is complete, no server opens the target.
package struct StateCopy: Sendable {
    /// The progress of the copy.
    package struct Progress: Sendable, Equatable {
        /// The table that is copied or compared now.
        package var table: String
        /// The number of rows that were copied or compared.
        package var rows: Int
        /// The number of rows to copy and to compare.
        package var total: Int
    }

    /// The result of a copy.
    package struct Report: Sendable, Equatable {
        package let rows: Int
        package let revocations: Int
    }

    private let source: any StateDatabase
    private let target: any StateDatabase
    private let didProgress: @Sendable (Progress) -> Void
    /// The number of rows that are in memory at the same time.
    static let batch = 1_000

    package init(
        from source: SQLStateStore, to target: SQLStateStore, didProgress: @escaping @Sendable (Progress) -> Void
    ) {
        self.source = source.database
        self.target = target.database
        self.didProgress = didProgress
    }

    /// Copies all rows and compares both states.
    ///
    /// - Throws: ``StateCopyError``, `NewerSchema` if a newer release has migrated one of the states, or the error of a
    ///   store. The next call continues.
    package func run() async throws -> Report {
        try await begin()
        var counts: [String: Int] = [:]
        for table in StateTable.all {
            counts[table.name] = try await source.read { db in try table.count(db) }
        }
        let total = counts.values.reduce(0, +)
        var progress = Progress(table: "", rows: 0, total: 2 * total)
        for table in StateTable.all {
            progress.table = table.name
            try await copy(table, &progress)
        }
        for table in StateTable.all {
            progress.table = table.name
            try await compare(table, &progress)
        }
        try await end()
        return Report(rows: total, revocations: counts["revocation"] ?? 0)
    }

    // MARK: Marker

    /// The name of the row of the table `lease` that marks the target of an unfinished copy. Its owner is the history of the
    /// source. The database accepts the numbers of another audit log only in such a target, see ``AuditRow/importing(into:_:)``.
    static let marker = "unfinished copy"

    /// Marks the target.
    private func begin() async throws {
        let id = try await source.read { db in
            try db.rejectUnknown()
            return try db.bytes("SELECT id FROM generation") ?? Data()
        }
        try await target.write { db in
            try db.rejectUnknown()
            let started = try db.bytes("SELECT owner FROM lease WHERE name = ?", [Self.marker])
            if let started {
                guard started == id else { throw StateCopyError.otherSource }
                return
            }
            for table in StateTable.all where try table.lastKey(db) != nil {
                throw StateCopyError.notEmpty(table: table.name)
            }
            try db.execute(
                "INSERT INTO lease (name, owner, ends, ends_set) VALUES (?, ?, 0.0, 0.0)", [Self.marker, id])
        }
    }

    /// Copies what is not in a table of its own, and removes the mark.
    private func end() async throws {
        let source = source
        for table in StateTable.all {
            guard let column = table.numbered else { continue }
            let last = try await source.read { db in try db.lastNumber(in: table.name, column) }
            try await target.write { db in try db.setLastNumber(last, in: table.name, column) }
        }
        let floor = try await source.read { db in try db.real("SELECT session_floor FROM generation") }
        try await target.write { db in
            // A floor of the target ends sessions that the source does not know to be ended.
            let higher = [floor, try db.real("SELECT session_floor FROM generation")].compactMap(\.self).max()
            try db.execute("UPDATE generation SET session_floor = ?", [higher])
            try db.execute("DELETE FROM lease WHERE name = ?", [Self.marker])
        }
    }

    // MARK: Rows

    private func copy(_ table: StateTable, _ progress: inout Progress) async throws {
        var last = try await target.read { db in try table.lastKey(db) }
        if last != nil {
            progress.rows += try await target.read { db in try table.count(db) }
        }
        while true {
            let rows = try await source.read { [last] db in try table.rows(db, after: last, limit: Self.batch) }
            try await target.write { db in try table.insert(db, rows) }
            progress.rows += rows.count
            didProgress(progress)
            guard rows.count == Self.batch, let end = rows.last else { return }
            last = table.key(of: end)
        }
    }

    /// Compares the rows of a table.
    private func compare(_ table: StateTable, _ progress: inout Progress) async throws {
        var last: [StateValue]?
        while true {
            let (one, other) = (
                try await source.read { [last] db in try table.rows(db, after: last, limit: Self.batch) },
                try await target.read { [last] db in try table.rows(db, after: last, limit: Self.batch) }
            )
            guard one.map(\.values) == other.map(\.values) else { throw StateCopyError.differs(table: table.name) }
            progress.rows += one.count
            didProgress(progress)
            guard one.count == Self.batch, let end = one.last else { return }
            last = table.key(of: end)
        }
    }
}

extension SQLStateStore {
    /// Returns whether the state can be the target of a ``StateCopy``: none of the tables to copy has a row.
    package func isEmpty() async throws -> Bool {
        try await database.read { db in try StateTable.all.allSatisfy { table in try table.lastKey(db) == nil } }
    }
}

/// The reason why a state was not copied.
package enum StateCopyError: Error, Equatable, CustomStringConvertible {
    /// The target has rows of its own.
    case notEmpty(table: String)
    /// The target has a part of another state.
    case otherSource
    /// A state changed during the copy.
    case differs(table: String)

    package var description: String {
        switch self {
        case .notEmpty(let table):
            "the target has rows in its table \(table); expected an empty state. Name another schema or file, or remove "
                + "the target if nothing needs it"
        case .otherSource: "the target has a part of another state; expected an empty state"
        case .differs(let table):
            "the two states differ in the table \(table); expected that no server uses either during the copy"
        }
    }
}
