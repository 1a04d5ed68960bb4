import Foundation
package import Gatefold

/// The audit log of a state that is restored.
///
/// A restore deletes no entry. The log of the replaced state goes on, and the restore is its next entry. Entries of the
/// backup are added only if they continue that log, for example an empty one.
package struct AuditLogRestore: Sendable {
    /// How the log of the replaced state relates to that of the backup, and which of them the new state has.
    package enum Outcome: Sendable, Equatable {
        /// One log contains the other. The new state has the longer one.
        case continued
        /// Each log has entries that the other lacks. The new state has the log of the replaced one, without the others.
        case forked(former: AuditHead, backup: AuditHead)
        /// The log of the replaced state cannot be read. The new state has that of the backup.
        case unreadable

        /// The warning for the person who restores; nil if there is nothing to warn of.
        package var warning: String? {
            switch self {
            case .continued: nil
            case .forked(let former, let backup):
                "the audit logs of the replaced state and of the backup do not continue each other. That of the replaced "
                    + "state goes on after its entry \(former.sequence). Its head was \(former). That of the backup, whose "
                    + "head is \(backup), remains in the backup alone"
            case .unreadable:
                "the audit log of the replaced state cannot be read. That of the backup goes on. The replaced state "
                    + "remains in its file until the next restore"
            }
        }
    }

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

    /// Joins the log of the replaced state with that of the backup.
    ///
    /// - Parameters:
    ///   - former: The replaced state.
    ///   - target: The state in which the log goes on: the replaced one or the backup.
    ///   - clear: Removes all entries of the target, if that is the backup. The log of the replaced state is then copied as a
    ///     whole, so that a backup with other entries in its place removes none.
    static func join(
        former: any StateTransaction, backup: any StateTransaction, in target: any StateTransaction,
        clearing clear: (() throws -> Void)? = nil
    ) throws -> Outcome {
        guard let formerHead = try AuditRow.head(former) else {
            if clear == nil { try extend(target, by: backup, after: nil) }
            return .continued
        }
        let backupHead = try AuditRow.head(backup)
        let isOlder = try backupHead.map { try AuditRow.contains($0, former) } ?? true
        if !isOlder, try AuditRow.contains(formerHead, backup) {
            if clear == nil { try extend(target, by: backup, after: formerHead) }
            return .continued
        }
        if let clear {
            try clear()
            try extend(target, by: former, after: nil)
        }
        guard !isOlder, let backupHead else { return .continued }
        return .forked(former: formerHead, backup: backupHead)
    }

    /// Appends the entries of another log after an entry; all if it is nil.
    private static func extend(
        _ target: any StateTransaction, by other: any StateTransaction, after head: AuditHead?
    ) throws {
        try AuditRow.importing(into: target) {
            var last = head?.sequence ?? 0
            while true {
                let page = try other.rows(
                    "\(AuditRow.select(other.dialect)) WHERE sequence > ? ORDER BY sequence LIMIT ?",
                    [last, StateCopy.batch])
                // Whether the entries are intact is the concern of a verification.
                for entry in try page.map(AuditRow.entry) {
                    try AuditRow.insert(entry, target)
                    last = entry.sequence
                }
                if page.count < StateCopy.batch { return }
            }
        }
    }
}
