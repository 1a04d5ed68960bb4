import Foundation
import Synchronization

/// Counts responses by call, response and fault.
final class SoakTally: Sendable {
    /// The label of credentials that were issued because the publication fails open.
    static let failedOpen = "credentials, failed open"
    static let noFault = "no fault"

    struct Line: Sendable {
        let call: String
        let response: String
        let day: String
        let count: Int
    }

    /// The number of calls in one variant.
    struct Baseline: Sendable {
        let call: String
        let name: String
        let count: Int
    }

    private struct Key: Hashable {
        let call: String
        let response: String
        let day: String
    }

    private struct MarkerKey: Hashable {
        let call: String
        let name: String
    }

    private struct State {
        var counts: [Key: Int] = [:]
        var labels: [MarkerKey: Int] = [:]
        var late = 0
        var faultFreeCount = 0
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - labels: The labels of ``CallVariant/labels(of:)``.
    ///   - day: The fault that the call may have met, or nil for none.
    ///   - isLate: Whether the response asked for a retry without a known fault.
    func record(_ call: String, _ response: String, labels: [String] = [], during day: String?, isLate: Bool = false) {
        state.withLock { state in
            state.counts[Key(call: call, response: response, day: day ?? Self.noFault), default: 0] += 1
            for label in labels { state.labels[MarkerKey(call: call, name: label), default: 0] += 1 }
            if day == nil { state.faultFreeCount += 1 }
            if isLate { state.late += 1 }
        }
    }

    var count: Int { state.withLock { $0.counts.values.reduce(0, +) } }
    /// The number of responses without a fault, and of those that asked for a retry.
    var faultFreeCount: Int { state.withLock { $0.faultFreeCount } }
    var late: Int { state.withLock { $0.late } }

    var lines: [Line] {
        state.withLock { $0.counts }
            .map { Line(call: $0.key.call, response: $0.key.response, day: $0.key.day, count: $0.value) }
            .sorted { ($0.call, $0.response, $0.day) < ($1.call, $1.response, $1.day) }
    }

    var labels: [Baseline] {
        state.withLock { $0.labels }
            .map { Baseline(call: $0.key.call, name: $0.key.name, count: $0.value) }
            .sorted { ($0.call, $0.name) < ($1.call, $1.name) }
    }
}
