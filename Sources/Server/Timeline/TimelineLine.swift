package import Foundation
package import Gatefold

/// An item of a reader's timeline, as a command prints it and the admin API returns it.
package struct TimelineLine: Encodable, Sendable {
    package let time: Date
    /// The time of the last repetition; nil if there is one.
    package let lastTime: Date?
    package let count: Int
    /// The code of the event, or `staff`.
    package let kind: String
    package let publication: String?
    package let call: String?
    package let reason: String?
    package let device: String?
    package let edition: String?
    package let backend: String?
    package let freshness: String?
    package let detail: String?
    /// The action of the staff and who took it.
    package let action: String?
    package let actor: String?

    package init(_ item: TimelineItem) {
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
    package var text: String {
        let fields: [(String, String?)] = [
            ("action", action), ("actor", actor), ("call", call), ("reason", reason), ("edition", edition),
            ("device", device), ("backend", backend), ("freshness", freshness), ("detail", detail),
            ("count", count > 1 ? String(count) : nil), ("until", lastTime?.formatted(.iso8601)),
        ]
        let details = fields.compactMap { name, value in value.map { "\(name)=\($0)" } }.joined(separator: " ")
        let columns = [time.formatted(.iso8601), kind, publication ?? "-", details]
        return columns.map(LineLogHandler.oneLine).joined(separator: "\t")
    }
}
