import Foundation
import Gatefold
import Primitives
import Server

/// An entry of the audit log in the output of a command. It has everything that is needed to verify the hash.
struct AuditLine: Encodable {
    let sequence: Int64
    let id: String
    let time: Date
    /// The time in milliseconds since 1970, which the hash covers.
    let milliseconds: Int64
    let actorKind: String
    let actor: String
    let publication: String?
    let action: String
    let subject: String?
    let reason: String?
    /// The details as `name=value`, in their order.
    let details: [String]
    let previous: String
    let hash: String

    init(_ entry: AuditEntry) {
        sequence = entry.sequence
        id = Hexadecimal.encode(entry.id)
        time = entry.time
        milliseconds = entry.milliseconds
        actorKind = entry.actorKind
        actor = entry.actor
        publication = entry.publication
        action = entry.action
        subject = entry.subject
        reason = entry.reason
        details = entry.details.split(separator: "\n").map(String.init)
        previous = Hexadecimal.encode(entry.previous)
        hash = Hexadecimal.encode(entry.hash)
    }

    /// A line of a table. Columns without a value contain a hyphen.
    var text: String {
        let columns: [String?] = [
            String(sequence), time.formatted(.iso8601), actor, action, subject, publication, reason,
            details.isEmpty ? nil : details.joined(separator: " "),
        ]
        return columns.map { LineLogHandler.oneLine($0 ?? "-") }.joined(separator: "\t")
    }

    /// Returns a line of JSON, in which unsafe characters are escaped, because the hash covers them.
    func json() throws -> String {
        LineLogHandler.replacingUnsafe(try OutputOptions.encode(self)) { scalar in
            scalar.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
        }
    }
}
