import Foundation
import GRDB
import Gatefold
import Transfers

/// Makes a database of a fetched file.
struct FeedLoad {
    /// So many bad rows are kept to be shown.
    static let mostIssues = 20

    let plan: FeedPlan
    /// The last good feed.
    let last: FeedSummary?
    let isCancelled: () -> Bool

    /// What is known of the file besides what stands in it.
    struct Facts {
        let digest: String
        let validator: Validator?
        let decoyKey: Data
        let loadedAt: Date
    }

    /// Reads the file at `source`, and writes what it says to `target`.
    ///
    /// - Parameter issues: gets the first bad rows, also of a feed that is refused.
    /// - Throws: ``FeedRefusal``.
    func run(_ source: String, to target: String, _ facts: Facts, issues: inout [FeedIssue]) throws -> FeedSummary {
        var rows = 0
        var bad = 0
        var found: [FeedIssue] = []
        defer { issues = found }
        do {
            let writer = try FeedWriter(path: target)
            return try writer.write(plan.columns) { add in
                let splitter = FeedRowSplitter(plan)
                var parser = try plan.format.parser(splitter.fields, needed: plan.needed)
                var endsInNewline = true
                var endsInBadRow = false
                func take(_ item: FeedItem) throws {
                    if (rows + bad).isMultiple(of: 1024), isCancelled() { throw FeedRefusal.cancelled }
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
                    if found.count < Self.mostIssues { found.append(issue) }
                }
                try FeedFile.read(source, isPacked: plan.format.isPacked, limit: plan.limits.size) { bytes in
                    if let end = bytes.last { endsInNewline = end == UInt8(ascii: "\n") || end == UInt8(ascii: "\r") }
                    try parser.read(bytes, take)
                }
                try parser.finish(take)
                // A row cut off in its last cell looks whole: but then the line end is missing that was there before.
                if !endsInNewline, plan.format.namesEveryField, endsInBadRow || last?.endsInNewline == true {
                    throw FeedRefusal.truncated
                }
                try plan.limits.require(rows: rows, bad: bad, last: last?.rows)
                return FeedSummary(
                    layout: plan.layoutDigest, fields: parser.fields.names, digest: facts.digest,
                    source: plan.source.digest, validator: facts.validator, endsInNewline: endsInNewline,
                    decoyKey: facts.decoyKey, rows: rows,
                    badRows: bad, readers: 0,
                    ambiguous: 0, loadedAt: facts.loadedAt)
            }
        } catch let error as DatabaseError {
            // The message may quote a statement's values; the code does not.
            throw FeedRefusal.disk(
                error.resultCode == .SQLITE_FULL
                    ? "there is no room on the disk" : "SQLite error \(error.extendedResultCode.rawValue)")
        }
    }
}
