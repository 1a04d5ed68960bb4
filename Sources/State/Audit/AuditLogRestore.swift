import Foundation
package import Gatefold

/// The audit log of a state that is restored.
///
/// A restore deletes no entry. The log of the state goes on, and the restore is its next entry. The log of the backup is
/// taken over only where it continues that of the state, for example if that is empty.
package struct AuditLogRestore: Sendable {
    /// The entry of the restore.
    package let record: AuditRecord
    package let chain: AuditChain

    package init(_ record: AuditRecord, to chain: AuditChain) {
        self.record = record
        self.chain = chain
    }

    /// Appends the entry of the restore, with the heads of both logs before it.
    func append(former: AuditHead?, backup: AuditHead?, at timestamp: Date, _ db: any StateTransaction) throws {
        var record = record
        record.details = AuditDetails([
            ("former_head", former.map(\.description)), ("backup_head", backup.map(\.description)),
        ])
        _ = try AuditRow.append(record, to: chain, at: timestamp, db)
    }

    /// Appends the entries with which another log continues a log. Nothing is appended if the other log lacks the last
    /// entry of the log.
    static func extend(_ target: any StateTransaction, by other: any StateTransaction) throws {
        let head = try AuditRow.head(target)
        if let head, try !AuditRow.contains(head, other) { return }
        var last = head?.sequence ?? 0
        while true {
            let page = try other.rows(
                "SELECT \(AuditRow.columns) FROM \(AuditRow.table) WHERE sequence > ? ORDER BY sequence LIMIT ?",
                [last, StateCopy.batch])
            // The values are copied as they are. Whether they are intact is the concern of a verification.
            for entry in try page.map(AuditRow.entry) {
                try AuditRow.insert(entry, target)
                last = entry.sequence
            }
            if page.count < StateCopy.batch { return }
        }
    }
}
