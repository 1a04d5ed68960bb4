import CSV
import Foundation
import GRDB
import Gatefold
import SQLAccess

/// One run of an import: from bytes to rows to short transactions.
///
/// Whatever takes long, the reading of the file and the hashing of passwords, is done between the transactions.
final class ImportRun {
    private let database: SubscriberDatabase
    private let file: ImportFile
    private let options: SubscriberImport.Options
    private let passwords: ImportPasswords
    private let moment: Date
    private var report = ImportReport()
    private var columns: ImportColumns?
    private var checkpoint = Checkpoint()
    /// Rows that were read and are not in the database yet; nil for a bad one.
    private var waiting: [ImportRow?] = []
    /// Rows of the file that an earlier run dealt with, passed over so far.
    private var rowsPassed = 0

    /// What the database keeps about a resumable import.
    private struct Checkpoint {
        var importID: Int64 = 0
        var rows = 0
        var badRows = 0
    }

    init(file: ImportFile, import work: SubscriberImport) {
        database = work.database
        self.file = file
        options = work.options
        passwords = ImportPasswords(hasher: work.hasher, form: work.options.passwordForm)
        moment = work.database.clock.now
    }

    func perform(_ progress: @Sendable (ImportProgress) throws -> Void) async throws -> ImportReport {
        // One that is in force and was interrupted comes first, and what one left that never was goes.
        try await database.applyImport()
        try await database.discardLeftImports()
        try await begin()
        do {
            try await readAll(progress)
            try file.requireUnchanged()
            return try await end(progress)
        } catch {
            if batch == nil {
                // The task may be cancelled, and what is staged goes all the same.
                let database = database
                _ = await Task { try? await database.discardLeftImports() }.value
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
                options.identifierColumn, "\(options.separator)", "\(options.isReplacing)", "\(options.passwordForm)",
                "\(options.foldsProof)",
            ])
        checkpoint = try await database.pool.write { db in
            if let fingerprint,
                let row = try Row.fetchOne(
                    db, sql: "SELECT id, rows, bad_rows FROM import WHERE fingerprint = ?", arguments: [fingerprint])
            {
                return Checkpoint(
                    importID: try SubscriberRow.integer(row, 0, "import", "id"),
                    rows: Int(try SubscriberRow.integer(row, 1, "import", "rows")),
                    badRows: Int(try SubscriberRow.integer(row, 2, "import", "bad_rows")))
            }
            try db.execute(
                sql: "INSERT INTO import (fingerprint, rows, bad_rows) VALUES (?, 0, 0)", arguments: [fingerprint])
            return Checkpoint(importID: db.lastInsertedRowID)
        }
        report.resumedAfter = checkpoint.rows
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
            note(ImportIssue(line: error.line, column: nil, reason: error.reason.words))
            waiting.append(nil)
        case .success(let row):
            do throws(ImportIssue) {
                waiting.append(try ImportRow(row, columns: columns, foldsProof: options.foldsProof))
            } catch {
                note(error)
                waiting.append(nil)
            }
        }
    }

    private func note(_ issue: ImportIssue) {
        report.badRows += 1
        if report.issues.count < options.mostIssues { report.issues.append(issue) }
    }

    /// Writes what waits, a batch to a transaction.
    ///
    /// - Parameter all: also a rest that is less than a batch.
    private func write(all: Bool) async throws {
        guard let columns else { return }
        let size = min(batch ?? SubscriberDatabase.importBatch, SubscriberDatabase.importBatch)
        var first = 0
        while waiting.count - first >= (all ? 1 : size) {
            let end = min(first + size, waiting.count)
            let slice = waiting[first..<end]
            let rows = try passwords.hash(slice.compactMap(\.self), hasPasswords: columns.has(.password))
            let badRows = slice.count - rows.count
            let duplicates =
                batch == nil ? try await stage(rows) : try await apply(rows, badRows: badRows, columns)
            for line in duplicates {
                note(
                    ImportIssue(
                        line: line, column: options.identifierColumn,
                        reason: "the same identifier stands in an earlier row"))
            }
            first = end
            try Task.checkCancellation()
        }
        waiting.removeFirst(first)
    }

    /// - Returns: the lines of rows whose identifiers stood in the file before.
    private func stage(_ rows: [ImportRow]) async throws -> [Int] {
        let encoder = JSONEncoder()
        let staged = try rows.map {
            (identifier: $0.identifier, line: $0.line, data: try encoder.encode(StagedRow($0)))
        }
        return try await database.pool.write { [id = checkpoint.importID] db in
            let insert = try db.cachedStatement(
                sql: "INSERT INTO staged (import, identifier, row) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
            var duplicates: [Int] = []
            for row in staged {
                try insert.execute(arguments: [id, row.identifier, row.data])
                if db.changesCount == 0 { duplicates.append(row.line) }
            }
            return duplicates
        }
    }

    /// Writes rows of a resumable import to where they are read, and how far it came.
    ///
    /// - Returns: the lines of rows whose identifiers stood in the file before.
    private func apply(_ rows: [ImportRow], badRows: Int, _ columns: ImportColumns) async throws -> [Int] {
        let before = checkpoint
        let (next, added, replaced, duplicates) = try await database.pool.write { [moment] db in
            let writer = try ImportWriter(db, importID: before.importID, columns: columns, at: moment)
            var (added, replaced, duplicates) = (0, 0, [Int]())
            for row in rows {
                switch try writer.write(row) {
                case .added: added += 1
                case .replaced: replaced += 1
                case .duplicate: duplicates.append(row.line)
                }
            }
            var next = before
            next.rows += rows.count + badRows
            next.badRows += badRows + duplicates.count
            try db.execute(
                sql: "UPDATE import SET rows = ?, bad_rows = ? WHERE id = ?",
                arguments: [next.rows, next.badRows, next.importID])
            return (next, added, replaced, duplicates)
        }
        checkpoint = next
        report.added += added
        report.replaced += replaced
        return duplicates
    }

    private func end(_ progress: @Sendable (ImportProgress) throws -> Void) async throws -> ImportReport {
        // Duplicates are noticed a little later than other bad rows.
        report.issues.sort { $0.line < $1.line }
        let badRows = batch == nil ? report.badRows : checkpoint.badRows
        if batch == nil, badRows > 0 {
            try await database.discardLeftImports()
            return report
        }
        if options.isReplacing, report.resumedAfter + report.rows - badRows <= 0 {
            throw ImportError.nothingToReplaceWith
        }
        if batch == nil {
            try await putInForce(progress)
        } else {
            if options.isReplacing, badRows > 0 { report.didSkipRemoval = true }
            if options.isReplacing, badRows == 0 { try await removeOthers() }
            try await database.pool.write { [id = checkpoint.importID] db in
                try db.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
            }
        }
        report.isCommitted = true
        return report
    }

    /// Puts all staged rows in force at once, and brings them over. What interrupts that does not undo it.
    private func putInForce(_ progress: @Sendable (ImportProgress) throws -> Void) async throws {
        guard let columns else { return }
        try Task.checkCancellation()
        let id = checkpoint.importID
        try await database.pool.write { [options, moment] db in
            try AppliedImport.begin(id, columns: columns, isReplacing: options.isReplacing, at: moment, db)
        }
        let step = step(file.size ?? 0)
        // Whoever stops the import now stops only what it does; the readers' own rows still come over when they are read.
        try await database.applyImport { try progress(step) }
        let counts = try await database.pool.write { db in
            let row = try Row.fetchOne(
                db, sql: "SELECT added, replaced, removed FROM import WHERE id = ?", arguments: [id])
            try db.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [id])
            return try row.map { row in
                try ["added", "replaced", "removed"].enumerated().map { index, column in
                    Int(try SubscriberRow.integer(row, index, "import", column))
                }
            }
        }
        if let counts {
            report.added = counts[0]
            report.replaced = counts[1]
            report.removed = counts[2]
        }
    }

    /// The end of a resumable import that replaces all.
    private func removeOthers() async throws {
        let id = checkpoint.importID
        let last = try await database.pool.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM subscriber") } ?? 0
        var end: Int64 = 0
        while end < last {
            let (next, removed) = try await database.pool.write { [end] db in
                try ImportRemoval.remove(
                    besides: id, after: end, upTo: last, most: SubscriberDatabase.importBatch, db)
            }
            report.removed += removed
            end = next
            try Task.checkCancellation()
        }
    }
}
