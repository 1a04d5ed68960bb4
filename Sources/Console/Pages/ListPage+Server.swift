import JSON
import Primitives

/// The lists that belong to no publication.
extension ListPage {
    static let backends = ListPage(
        title: "Backends", path: "/backends", operation: "listBackends",
        caption: "The subscriber backends at this node",
        columns: [
            "Backend", "Status", "Circuit breaker", "Running", "Waiting", "Cached", "Served stale", "Last error",
            "Action",
        ],
        empty: "There is no backend."
    ) { backend, visit in
        let isUp = backend["up"]?.boolValue == true
        let name = PercentEncoding.encode(backend["name"]?.text ?? "")
        return [
            Shown.cell(backend["name"]),
            Cell(
                isUp
                    ? "up"
                    : "unavailable"
                        + (backend["unavailable_since"]?.text == nil
                            ? "" : " since \(Shown.timeText(backend["unavailable_since"]))"),
                symbol: isUp ? .good : .problem),
            Shown.cell(backend["breaker"]), Shown.cell(backend["in_flight"]), Shown.cell(backend["queued"]),
            Shown.cell(backend["cached"]), Shown.cell(backend["stale_results"]), lastError(backend["last_error"]),
            visit.permits("flushBackend") ? Cell("Flush", link: "/backends/\(name)/flush") : "–",
        ]
    }

    private static func lastError(_ error: JSONValue?) -> Cell {
        guard let error, error != .null else { return "–" }
        return Cell(lines: [
            Shown.timeText(error["time"]), "\(Shown.text(error["call"])): \(Shown.text(error["cause"]))",
        ])
    }

    static let nodes = ListPage(
        title: "Nodes", path: "/nodes", operation: "listNodes", caption: "The nodes that share the state",
        columns: ["Node", "Version", "Started", "Last report", "Seconds behind", "Status"],
        empty: "The state belongs to one machine, which has no list of nodes."
    ) { node, _ in
        let isDraining = node["draining"]?.boolValue == true
        return [
            Shown.cell(node["name"]), Shown.cell(node["version"]), Shown.time(node["started"]),
            Shown.time(node["heard"]), Shown.cell(node["seconds_behind"]),
            Cell(isDraining ? "draining" : "serving", symbol: isDraining ? .unknown : .good),
        ]
    }

    static let audit = ListPage(
        title: "Audit", path: "/audit", operation: "listAuditEntries",
        caption: "Entries of the audit log, the newest first",
        columns: ["Entry", "Time", "Actor", "Action", "Subject", "Publication", "Reason", "Details"],
        empty: "There is no such entry.",
        filters: [
            ("action", "Action, or its beginning"), ("actor", "Actor, or its beginning"),
            ("publication", "Publication"),
        ]
    ) { entry, _ in
        [
            Shown.cell(entry["sequence"]), Shown.time(entry["time"]), Shown.cell(entry["actor"]),
            Shown.cell(entry["action"]), Shown.cell(entry["subject"]), Shown.cell(entry["publication"]),
            Shown.cell(entry["reason"]), Shown.cell(entry["details"]),
        ]
    }
}
