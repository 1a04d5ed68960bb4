import Foundation
import Gatefold
import Server
import State

/// A node in the output of a command.
struct NodeLine: Encodable {
    let name: String
    let version: String
    let started: Date
    let heard: Date
    let secondsSinceHeartbeat: Double
    let secondsBehind: Double
    let isDraining: Bool
    let slots: [String: Int]

    enum CodingKeys: String, CodingKey {
        case name, version, started, heard, slots
        case secondsSinceHeartbeat = "seconds_since_heartbeat"
        case secondsBehind = "seconds_behind"
        case isDraining = "draining"
    }

    private init(_ report: NodeReport, at now: Date) {
        name = report.node.name
        version = report.node.version
        started = report.node.started
        heard = report.heard
        secondsSinceHeartbeat = max(0, now.timeIntervalSince(report.heard))
        secondsBehind = report.behind
        isDraining = report.isDraining
        slots = report.slots
    }

    static func all(in store: any StateStore) async throws -> [NodeLine] {
        let reports = try await store.nodes()
        let now = store.now
        return reports.map { NodeLine($0, at: now) }
    }

    /// A node reports itself each second, so one without a report for this many seconds needs attention.
    private static let silence: Double = 5

    var status: String { isDraining ? "draining" : secondsSinceHeartbeat > Self.silence ? "silent" : "serving" }

    var text: String {
        let calls = slots.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return [
            name, version, status, Self.seconds(secondsSinceHeartbeat), Self.seconds(secondsBehind),
            calls.isEmpty ? "-" : calls,
        ].joined(separator: "\t")
    }

    private static func seconds(_ value: Double) -> String {
        value.formatted(
            .number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US_POSIX")).grouping(.never))
    }
}
