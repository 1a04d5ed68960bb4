import Crypto
package import Foundation

/// The hashes that chain the entries of the audit log: each covers its entry and the hash of the entry before.
///
/// A hash is an HMAC-SHA256 with a key derived from that of the pseudonyms. A plain SHA-256 would only show changes by
/// those who do not compute the hashes again. Without the file of `pseudonym_secret`, no person can change,
/// insert or reorder entries unnoticed, and neither can the administrator of the database. The removal of the last entries shows
/// only against a noted ``AuditHead``.
package struct AuditChain: Sendable {
    package static let hashSize = 32
    /// The hash before the first entry.
    package static let start = [UInt8](repeating: 0, count: hashSize)

    private let key: SymmetricKey

    package init(_ key: PseudonymKey) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key.key, info: Data("gatefold audit 1".utf8), outputByteCount: 32)
    }

    /// Returns the entry of a record with its hash.
    ///
    /// - Parameters:
    ///   - head: The last entry; nil if the log is empty.
    ///   - timestamp: The time by the store's clock.
    /// - Throws: ``AuditLogError/invalidHead(sequence:)``.
    package func entry(
        _ record: AuditRecord, after head: AuditHead?, at timestamp: Date
    ) throws(AuditLogError) -> AuditEntry {
        if let head, !(1..<Int64.max).contains(head.sequence) { throw .invalidHead(sequence: head.sequence) }
        var entry = AuditEntry(
            sequence: (head?.sequence ?? 0) + 1, id: record.id,
            milliseconds: Int64((timestamp.timeIntervalSince1970 * 1_000).rounded(.down)),
            actorKind: record.actor.kind.rawValue, actor: record.actor.name,
            publication: record.publication?.rawValue, action: record.action.rawValue,
            subject: record.subject?.description, reason: record.reason?.description, details: record.details.text,
            previous: head?.hash ?? Self.start, hash: [])
        entry.hash = hash(of: entry)
        return entry
    }

    /// Returns the hash of an unchanged entry.
    package func hash(of entry: AuditEntry) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: AuditEncoding.bytes(of: entry), using: key))
    }
}
