import Foundation
import Gatefold

/// An item of a reader's timeline in the output of a command.
struct TimelineLine: Encodable {
    let time: Date
    /// The time of the last repetition; nil if there is one.
    let lastTime: Date?
    let count: Int
    /// The code of the event, or `staff`.
    let kind: String
    let publication: String?
    let call: String?
    let reason: String?
    let device: String?
    let edition: String?
    let backend: String?
    let freshness: String?
    let detail: String?
    /// The action of the staff and who took it.
    let action: String?
    let actor: String?

    init(_ item: TimelineItem) {
        switch item {
        case .event(let stored):
            let (entry, event) = (stored.entry, stored.entry.event)
            (time, count, kind) = (entry.time, entry.count, event.kind.rawValue)
            lastTime = entry.count > 1 ? entry.lastTime : nil
            publication = event.publication?.rawValue
            (call, reason, device) = (event.call, event.reason, event.device?.description)
            (edition, backend, freshness) = (event.edition?.rawValue, event.backend, event.freshness)
            detail = event.detail
            (action, actor) = (nil, nil)
        case .staff(let entry):
            (time, lastTime, count, kind) = (entry.time, nil, 1, "staff")
            (publication, action, actor) = (entry.publication, entry.action, entry.actor)
            (call, reason, device, edition, backend, freshness) = (nil, entry.reason, nil, nil, nil, nil)
            detail = entry.details.isEmpty ? nil : entry.details.split(separator: "\n").joined(separator: " ")
        }
    }

    /// A line of a table.
    var text: String {
        let fields: [(String, String?)] = [
            ("action", action), ("actor", actor), ("call", call), ("reason", reason), ("edition", edition),
            ("device", device), ("backend", backend), ("freshness", freshness), ("detail", detail),
            ("count", count > 1 ? String(count) : nil), ("until", lastTime?.formatted(.iso8601)),
        ]
        let details = fields.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: " ")
        let columns = [time.formatted(.iso8601), kind, publication ?? "-", details]
        return columns.map { AuditLine.replacingControls($0) { _ in "\u{FFFD}" } }.joined(separator: "\t")
    }
}
