import Foundation
import GRDB
import Transfers

/// A load of a fetched file into a new database.
struct FeedLoad {
    /// The maximum number of bad rows that are retained for display.
    static let maxIssues = 20

    let plan: FeedPlan
    /// The summary of the last good feed.
    let last: FeedSummary?
    let isCancelled: () -> Bool

    /// The facts about a file that do not come from its content.
    struct Facts {
        let digest: String
        let validator: Validator?
        let dummyHashKey: Data
        let loadedAt: Date
    }

    /// Reads the file at `source`, and writes its rows to a database at `target`.
    ///
    /// - Parameter issues: receives the first bad rows, even when the feed is rejected.
    /// - Throws: ``FeedRejection``.
    func run(_ source: String, to target: String, _ facts: Facts, issues: inout [FeedIssue]) throws -> FeedSummary {
        var rows = 0
        var bad = 0
        var found: [FeedIssue] = []
        defer { issues = found }
        do {
            let writer = try FeedWriter(path: target)
            return try writer.write(plan.columns) { add in
                let splitter = FeedRowSplitter(plan)
                var parser = try plan.format.parser(splitter.fields, requiredFields: plan.requiredFields)
                var endsInNewline = true
                var endsInBadRow = false
                func take(_ item: FeedItem) throws {
                    if (rows + bad).isMultiple(of: 1024), isCancelled() { throw FeedRejection.cancelled }
                    let issue: FeedIssue
                    switch item {
                    case .row(let row):
                        switch splitter.split(row) {
                        case .success(let line):
                            rows += 1
                            endsInBadRow = false
                            return try add(line)
                        case .failure(let problem): issue = problem
                        }
                    case .bad(let problem): issue = problem
                    }
                    bad += 1
                    endsInBadRow = true
                    if found.count < Self.maxIssues { found.append(issue) }
                }
                try FeedFile.read(source, isCompressed: plan.format.isCompressed, limit: plan.limits.size) { bytes in
                    if let end = bytes.last { endsInNewline = end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r") }
                    try parser.read(bytes, take)
                }
                try parser.finish(take)
                // A row truncated inside its last cell looks complete, but it lacks the line end that the last feed
                // had.
                if !endsInNewline, plan.format.requiresEveryField, endsInBadRow || last?.endsInNewline == true {
                    throw FeedRejection.truncated
                }
                try plan.limits.require(rows: rows, bad: bad, last: last?.rows)
                return FeedSummary(
                    layout: plan.layoutDigest, fields: parser.fields.names, digest: facts.digest,
                    source: plan.source.digest, validator: facts.validator, endsInNewline: endsInNewline,
                    dummyHashKey: facts.dummyHashKey, rows: rows,
                    badRows: bad, readers: 0,
                    ambiguous: 0, loadedAt: facts.loadedAt)
            }
        } catch let error as DatabaseError {
            // The error message may quote values of a statement, so only the code is reported.
            throw FeedRejection.disk(
                error.resultCode == .SQLITE_FULL
                    ? "the disk is full" : "SQLite error \(error.extendedResultCode.rawValue)")
        }
    }
}
