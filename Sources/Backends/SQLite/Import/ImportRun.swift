import CSV
import Foundation
import GRDB
import Gatefold

/// One run of an import: from bytes to rows to transactions.
final class ImportRun {
    private let db: Database
    private let file: ImportFile
    private let options: SubscriberImport.Options
    private let passwords: ImportPasswords
    private let moment: Date
    private var report = ImportReport()
    private var columns: ImportColumns?
    private var writer: ImportWriter?
    private var checkpoint = Checkpoint()
    /// Rows that wait for their passwords to be hashed.
    private var waiting: [ImportRow] = []
    private var rowsSinceCommit = 0
    /// Rows of the file that an earlier run dealt with, passed over so far.
    private var rowsPassed = 0

    /// What the database keeps about a resumable import.
    private struct Checkpoint {
        var importID: Int64 = 0
        var rows = 0
        var badRows = 0
    }

    init(_ db: Database, file: ImportFile, import work: SubscriberImport) {
        self.db = db
        self.file = file
        options = work.options
        passwords = ImportPasswords(hasher: work.hasher, form: work.options.passwordForm)
        moment = work.database.clock.now
    }

    func perform(_ progress: (ImportProgress) throws -> Void) throws -> ImportReport {
        try begin()
        var reader = CSVReader(format: CSVFormat(separator: options.separator))
        var bytes = 0
        while let chunk = try file.next() {
            try reader.read(chunk) { try take($0) }
            bytes += chunk.count
            try progress(
                ImportProgress(bytes: bytes, totalBytes: file.size, rows: report.rows, badRows: report.badRows))
        }
        try reader.finish { try take($0) }
        guard columns != nil else { throw ImportError.noHeader }
        try writeWaiting()
        try file.requireUnchanged()
        try end()
        return report
    }

    private var batch: Int? {
        switch options.mode {
        case .allOrNothing: nil
        case .resumable(let batch): max(1, batch)
        }
    }

    private func begin() throws {
        var fingerprint: Data?
        if batch != nil {
            fingerprint = try file.fingerprint([
                options.identifierColumn, "\(options.separator)", "\(options.isReplacing)", "\(options.passwordForm)",
                "\(options.foldsProof)",
            ])
        }
        try db.beginTransaction(.immediate)
        if let fingerprint,
            let row = try Row.fetchOne(
                db, sql: "SELECT id, rows, bad_rows FROM import WHERE fingerprint = ?", arguments: [fingerprint])
        {
            checkpoint = Checkpoint(
                importID: try SubscriberRow.integer(row, 0, "import", "id"),
                rows: Int(try SubscriberRow.integer(row, 1, "import", "rows")),
                badRows: Int(try SubscriberRow.integer(row, 2, "import", "bad_rows")))
            report.resumedAfter = checkpoint.rows
        } else {
            try db.execute(
                sql: "INSERT INTO import (fingerprint, rows, bad_rows) VALUES (?, 0, 0)", arguments: [fingerprint])
            checkpoint.importID = db.lastInsertedRowID
        }
    }

    private func take(_ outcome: CSVReader.Outcome) throws {
        guard let columns else {
            do {
                let columns = try ImportColumns(
                    header: try outcome.get().fields, identifierName: options.identifierColumn)
                self.columns = columns
                writer = try ImportWriter(db, importID: checkpoint.importID, columns: columns, at: moment)
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
        rowsSinceCommit += 1
        switch outcome {
        case .failure(let error):
            note(ImportIssue(line: error.line, column: nil, reason: error.reason.words))
        case .success(let row):
            do throws(ImportIssue) {
                waiting.append(try ImportRow(row, columns: columns, foldsProof: options.foldsProof))
            } catch {
                note(error)
            }
        }
        if waiting.count >= ImportPasswords.batch { try writeWaiting() }
        if let batch, rowsSinceCommit >= batch { try commitBatch() }
    }

    private func writeWaiting() throws {
        guard let writer else { return }
        let rows = columns?.has(.password) == true ? try passwords.hash(waiting) : waiting
        waiting.removeAll(keepingCapacity: true)
        for row in rows {
            switch try writer.write(row) {
            case .added: report.added += 1
            case .replaced: report.replaced += 1
            case .duplicate:
                note(
                    ImportIssue(
                        line: row.line, column: options.identifierColumn,
                        reason: "the same identifier stands in an earlier row"))
            }
        }
    }

    private func note(_ issue: ImportIssue) {
        report.badRows += 1
        if report.issues.count < options.mostIssues { report.issues.append(issue) }
    }

    private func commitBatch() throws {
        try writeWaiting()
        try db.execute(
            sql: "UPDATE import SET rows = ?, bad_rows = ? WHERE id = ?",
            arguments: [
                report.resumedAfter + report.rows, checkpoint.badRows + report.badRows, checkpoint.importID,
            ])
        try db.commit()
        rowsSinceCommit = 0
        try db.beginTransaction(.immediate)
    }

    private func end() throws {
        // Duplicates are noticed a little later than other bad rows.
        report.issues.sort { $0.line < $1.line }
        let badRows = checkpoint.badRows + report.badRows
        if batch == nil, badRows > 0 {
            try db.rollback()
            report.added = 0
            report.replaced = 0
            return
        }
        if options.isReplacing {
            if report.resumedAfter + report.rows - badRows <= 0 { throw ImportError.nothingToReplaceWith }
            if badRows > 0 {
                report.didSkipRemoval = true
            } else if let writer {
                report.removed = try writer.removeOthers()
            }
        }
        try db.execute(sql: "DELETE FROM import WHERE id = ?", arguments: [checkpoint.importID])
        try db.commit()
        report.isCommitted = true
    }
}
