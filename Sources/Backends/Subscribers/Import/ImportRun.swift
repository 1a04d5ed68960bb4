import CSV
import Foundation
import Primitives
import State

/// A run of an import: reads bytes, parses rows and writes short transactions.
///
/// The slow work, reading the file and hashing passwords, is done between the transactions.
final class ImportRun {
    private let database: SubscriberDatabase
    private let file: ImportFile
    private let lock: any ImportLock
    private let options: SubscriberImport.Options
    private let passwords: ImportPasswords
    private let timestamp: Date
    private var report = ImportReport()
    private var columns: ImportColumns?
    private var checkpoint = Checkpoint()
    /// The rows that were read and are not in the database yet; nil represents a bad row.
    private var waiting: [ImportRow?] = []
    /// The number of rows skipped so far that an earlier run had processed.
    private var rowsPassed = 0
    private let didTakeEffect: @Sendable () async -> Void
    /// A Boolean value that indicates whether rows of this import, or of one that it completes, are in force.
    private var isInForce = false

    /// The state of a resumable import in the database.
    private struct Checkpoint {
        var importID: Int64 = 0
        var rows = 0
        var badRows = 0
    }

    init(file: ImportFile, lock: any ImportLock, import work: SubscriberImport) {
        self.lock = lock
        database = work.database
        self.file = file
        options = work.options
        passwords = ImportPasswords(hasher: work.hasher, form: work.options.passwordFormat)
        timestamp = work.database.clock.now
        didTakeEffect = work.didTakeEffect
    }

    func perform(_ progress: @Sendable (ImportProgress) throws -> Void) async throws -> ImportReport {
        let result: Result<ImportReport, any Error>
        do {
            result = .success(try await importAll(progress))
        } catch {
            result = .failure(error)
        }
        if isInForce {
            // Others learn of the rows even if the task is cancelled.
            await Task { [didTakeEffect] in await didTakeEffect() }.value
        }
        return try result.get()
    }

    private func importAll(_ progress: @Sendable (ImportProgress) throws -> Void) async throws -> ImportReport {
        // The process of an interrupted import may have ended before it let others know.
        isInForce = try await database.store.read { db in try ActiveImport.current(db) != nil }
        // First apply an active import that was interrupted, then delete the leftovers of imports that never became
        // active.
        try await database.applyImport(lock)
        try await database.discardAbandonedImports(lock)
        try await begin()
        do {
            try await readAll(progress)
            try file.requireUnchanged()
            return try await end(progress)
        } catch {
            if batch == nil {
                // Staged rows are deleted even if the task is cancelled.
                let (database, lock) = (database, lock)
                _ = await Task { try? await database.discardAbandonedImports(lock) }.value
            }
            throw error
        }
    }

    private func readAll(_ progress: @Sendable (ImportProgress) throws -> Void) async throws {
        var reader = CSVReader(format: CSVFormat(separator: options.separator))
        var bytes = 0
        while let chunk = try file.next() {
            try reader.read(chunk) { try take($0) }
            bytes += chunk.count
            try await write(all: false)
            try progress(step(bytes))
            try Task.checkCancellation()
        }
        try reader.finish { try take($0) }
        guard columns != nil else { throw ImportError.noHeader }
        try await write(all: true)
    }

    private func step(_ bytes: Int) -> ImportProgress {
        ImportProgress(bytes: bytes, totalBytes: file.size, rows: report.rows, badRows: report.badRows)
    }

    private var batch: Int? {
        switch options.mode {
        case .allOrNothing: nil
        case .resumable(let batch): max(1, batch)
        }
    }

    private func begin() async throws {
        let fingerprint =
            batch == nil
            ? nil
            : try file.fingerprint([
                options.identifierColumn, "\(options.separator)", "\(options.isReplacing)", "\(options.passwordFormat)",
                "\(options.foldsProof)",
            ])
        checkpoint = try await write { db in
            if let fingerprint,
                let row = try db.row("SELECT id, rows, bad_rows FROM import WHERE fingerprint = ?", [fingerprint])
            {
                return Checkpoint(
                    importID: try SubscriberRow.integer(row, 0, "import", "id"),
                    rows: Int(try SubscriberRow.integer(row, 1, "import", "rows")),
                    badRows: Int(try SubscriberRow.integer(row, 2, "import", "bad_rows")))
            }
            return Checkpoint(
                importID: try db.inserted(
                    "INSERT INTO import (fingerprint, rows, bad_rows) VALUES (?, 0, 0) RETURNING id", [fingerprint]))
        }
        report.resumedAfter = checkpoint.rows
        if checkpoint.rows > 0 { isInForce = true }
    }

    private func take(_ outcome: CSVReader.Outcome) throws {
        guard let columns else {
            do {
                self.columns = try ImportColumns(
                    header: try outcome.get().fields, identifierName: options.identifierColumn)
            } catch let error as CSVRowError {
                throw ImportError.unreadableHeader(error.description)
            }
            return
        }
        if rowsPassed < report.resumedAfter {
            rowsPassed += 1
            return
        }
        report.rows += 1
        switch outcome {
        case .failure(let error):
            record(ImportIssue(line: error.line, column: nil, reason: error.reason.explanation))
            waiting.append(nil)
        case .success(let row):
            do throws(ImportIssue) {
                waiting.append(try ImportRow(row, columns: columns, foldsProof: options.foldsProof))
            } catch {
                record(error)
                waiting.append(nil)
            }
        }
    }

    private func record(_ issue: ImportIssue) {
        report.badRows += 1
        if report.issues.count < options.maxIssues { report.issues.append(issue) }
    }

    /// Writes the pending rows, one batch per transaction.
    ///
    /// - Parameter all: Whether to write a remainder that is smaller than a batch too.
    private func write(all: Bool) async throws {
        guard let columns else { return }
        let size = batch.map { min($0, database.store.importedTogether) } ?? SubscriberDatabase.importBatch
        var first = 0
        while waiting.count - first >= (all ? 1 : size) {
            let end = min(first + size, waiting.count)
            let slice = waiting[first..<end]
            let rows = try passwords.hash(slice.compactMap(\.self), hasPasswords: columns.has(.password))
            let badRows = slice.count - rows.count
            let duplicates =
                batch == nil ? try await stage(rows) : try await apply(rows, badRows: badRows, columns)
            for line in duplicates {
                record(
                    ImportIssue(
                        line: line, column: options.identifierColumn,
                        reason: "the same identifier is in an earlier row"))
            }
            first = end
            try Task.checkCancellation()
        }
        waiting.removeFirst(first)
    }

    /// Runs the body in a transaction, if this import still has its lock.
    @discardableResult
    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        try await database.store.write { [lock] db in
            try lock.check(db)
            return try body(db)
        }
    }

    /// The maximum number of rows in one statement that stages them.
    private static let stagedTogether = 100

    /// - Returns: The lines of rows whose identifiers occurred earlier in the file.
    private func stage(_ rows: [ImportRow]) async throws -> [Int] {
        let encoder = JSONEncoder()
        let staged = try rows.map {
            (identifier: $0.identifier, line: $0.line, data: try encoder.encode(StagedRow($0)))
        }
        return try await write { [id = checkpoint.importID] db in
            var duplicates: [Int] = []
            for start in stride(from: 0, to: staged.count, by: Self.stagedTogether) {
                let part = staged[start..<min(start + Self.stagedTogether, staged.count)]
                var inserted = Set(
                    try db.allTexts(
                        """
                        INSERT INTO staged (import, identifier, row)
                        VALUES \(repeatElement("(?, ?, ?)", count: part.count).joined(separator: ", "))
                        ON CONFLICT DO NOTHING RETURNING identifier
                        """, part.flatMap { [id, $0.identifier, $0.data] as StateArguments }))
                // Of two rows with one identifier, the first is inserted.
                for row in part where inserted.remove(row.identifier) == nil { duplicates.append(row.line) }
            }
            return duplicates
        }
    }

    /// Writes rows of a resumable import directly to the subscriber tables, together with the checkpoint.
    ///
    /// - Returns: The lines of rows whose identifiers occurred earlier in the file.
    private func apply(_ rows: [ImportRow], badRows: Int, _ columns: ImportColumns) async throws -> [Int] {
        let before = checkpoint
        // The transaction may have been committed even if it throws.
        isInForce = true
        let (next, added, replaced, duplicates) = try await write { [timestamp] db in
            let writer = ImportWriter(importID: before.importID, columns: columns, at: timestamp)
            var (added, replaced, duplicates) = (0, 0, [Int]())
            for row in rows {
                switch try writer.write(row, db) {
                case .added: added += 1
                case .replaced: replaced += 1
                case .duplicate: duplicates.append(row.line)
                }
            }
            var next = before
            next.rows += rows.count + badRows
            next.badRows += badRows + duplicates.count
            try db.execute(
                "UPDATE import SET rows = ?, bad_rows = ? WHERE id = ?", [next.rows, next.badRows, next.importID])
            return (next, added, replaced, duplicates)
        }
        checkpoint = next
        report.added += added
        report.replaced += replaced
        return duplicates
    }

    private func end(_ progress: @Sendable (ImportProgress) throws -> Void) async throws -> ImportReport {
        // Duplicates are detected later than other bad rows, so sort by line.
        report.issues.sort { $0.line < $1.line }
        let badRows = batch == nil ? report.badRows : checkpoint.badRows
        if batch == nil, badRows > 0 {
            try await database.discardAbandonedImports(lock)
            return report
        }
        if options.isReplacing, report.resumedAfter + report.rows - badRows <= 0 {
            throw ImportError.nothingToReplaceWith
        }
        if batch == nil {
            try await activate(progress)
        } else {
            if options.isReplacing, badRows > 0 { report.didSkipRemoval = true }
            if options.isReplacing, badRows == 0 { try await removeOthers() }
            try await write { [id = checkpoint.importID] db in
                try db.execute("DELETE FROM import WHERE id = ?", [id])
            }
        }
        report.isCommitted = true
        return report
    }

    /// Activates all staged rows at once and applies them. An interruption does not undo the activation.
    private func activate(_ progress: @Sendable (ImportProgress) throws -> Void) async throws {
        guard let columns else { return }
        try Task.checkCancellation()
        let id = checkpoint.importID
        // The transaction may have been committed even if it throws.
        isInForce = true
        try await write { [options, timestamp] db in
            try ActiveImport.begin(id, columns: columns, isReplacing: options.isReplacing, at: timestamp, db)
        }
        // Not only at the end, which a process that is killed never reaches.
        await didTakeEffect()
        let step = step(file.size ?? 0)
        // An error or cancellation stops only this loop. Staged rows are still applied when readers are read.
        try await database.applyImport(lock) { try progress(step) }
        let counts = try await write { db in
            let row = try db.row("SELECT added, replaced, removed FROM import WHERE id = ?", [id])
            let settled = try SettledSubscribers(importID: id).counts(db)
            try db.execute("DELETE FROM import WHERE id = ?", [id])
            return try row.map { row in
                try SettledSubscribers.Change.allCases.enumerated().map { index, change in
                    Int(try SubscriberRow.integer(row, index, "import", change.rawValue)) + settled[change, default: 0]
                }
            }
        }
        if let counts {
            report.added = counts[0]
            report.replaced = counts[1]
            report.removed = counts[2]
        }
        // Best effort: the next import deletes what remains.
        let settled = SettledSubscribers(importID: id)
        while (try? await write { try settled.delete(SubscriberDatabase.importBatch, $0) }) == true {}
    }

    /// Removes the subscribers that are not in the file, at the end of a resumable import that replaces all.
    private func removeOthers() async throws {
        let id = checkpoint.importID
        let last = try await database.store.read { try $0.integer("SELECT max(id) FROM subscriber") } ?? 0
        var end: Int64 = 0
        while end < last {
            let (next, removed) = try await write { [end] db in
                try ImportRemoval.remove(
                    excluding: id, after: end, upTo: last, limit: SubscriberDatabase.importBatch, db)
            }
            report.removed += removed
            end = next
            try Task.checkCancellation()
        }
    }
}
