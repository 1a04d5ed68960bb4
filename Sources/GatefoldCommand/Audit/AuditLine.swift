import Foundation
import Gatefold
import Primitives

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
        // A changed row may have any characters.
        return columns.map { AuditLine.printable($0 ?? "-") }.joined(separator: "\t")
    }

    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.isControl ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isControl: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
