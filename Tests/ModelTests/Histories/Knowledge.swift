import AccessModel
import Foundation
import Gatefold

/// A denial as it matters during an outage.
enum DenialKey: Hashable {
    /// The last result was anything but "active".
    case reader(String)
    case edition(title: Int, reader: String, EditionID)

    var reader: String {
        switch self {
        case .reader(let reader), .edition(_, let reader, _): reader
        }
    }
}

/// The denials that each process knows and their exchange.
struct DenialModel {
    private struct DenialRecord {
        var isRejection: Bool
        /// Increases with every entry.
        let order: Int
        /// The elapsed time in seconds.
        let at: TimeInterval
        /// False if two processes received different results before they shared them.
        var isCertain = true
        /// Whether another process received it, or this one before its restart.
        var isNew = false
    }

    private var known: [[DenialKey: DenialRecord]]
    private var waiting: [[DenialKey: DenialRecord]]
    private var stored: [DenialKey: DenialRecord] = [:]
    private var order = 0
    /// Readers with more denied editions than the capacity.
    private var overCapacity: Set<String> = []

    init(processes: Int) {
        known = Array(repeating: [:], count: processes)
        waiting = known
    }

    mutating func record(_ key: DenialKey, _ isRejection: Bool, by process: Int, at elapsed: TimeInterval) {
        if !isRejection, known[process][key] == nil { return }
        order += 1
        let denial = DenialRecord(isRejection: isRejection, order: order, at: elapsed)
        known[process][key] = denial
        waiting[process][key] = denial
    }

    /// Returns the possible results for an edition alone, independent of its reader.
    func wasEditionDenied(_ key: DenialKey, by process: Int) -> [Bool] {
        overCapacity.contains(key.reader) ? [false, true] : wasRejected([key], by: process)
    }

    mutating func recordOverCapacity(_ reader: String) { overCapacity.insert(reader) }

    /// Returns the possible results of a process, a single one if it is certain.
    func wasRejected(_ keys: [DenialKey], by process: Int) -> [Bool] {
        let denials = keys.compactMap { known[process][$0] }
        if denials.contains(where: { $0.isRejection && $0.isCertain }) { return [true] }
        let isUncertain =
            denials.contains { !$0.isCertain }
            || keys.contains { $0.isEditionSpecific && overCapacity.contains($0.reader) }
        return isUncertain ? [false, true] : [false]
    }

    /// Returns whether another process received the denial, or this one before its restart.
    func isNew(_ keys: [DenialKey], to process: Int) -> Bool {
        keys.contains { known[process][$0].map { $0.isRejection && $0.isNew } ?? false }
    }

    /// Stores the denials that the process received.
    mutating func notify(_ process: Int) {
        for (key, denial) in waiting[process] where denial.order > stored[key]?.order ?? 0 { stored[key] = denial }
        waiting[process] = [:]
    }

    /// - Parameter isStepped: Whether the clock was set since. The store may then have discarded the end of a denial as
    ///   old.
    mutating func follow(_ process: Int, isStepped: Bool = false) {
        for (key, var denial) in stored {
            let own = known[process][key]
            if let own, own.order >= denial.order {
                if own.order > denial.order, own.isRejection != denial.isRejection, !own.isRejection {
                    known[process][key]?.isCertain = false
                }
                continue
            }
            denial.isNew = true
            if isStepped, !denial.isRejection { denial.isCertain = false }
            known[process][key] = denial
        }
    }

    /// - Parameter hasReported: Whether the process could store the received results.
    mutating func restart(_ process: Int, hasReported: Bool, at elapsed: TimeInterval) {
        if hasReported { notify(process) }
        waiting[process] = [:]
        known[process] = [:]
        follow(process)
        // A clock error then or now may make it appear a year older.
        for (key, denial) in known[process] where elapsed - denial.at > 30 * 86_400 {
            known[process][key]?.isCertain = false
        }
    }
}

extension DenialKey {
    fileprivate var isEditionSpecific: Bool {
        if case .edition = self { true } else { false }
    }
}

/// A result of the subscriber system that one process received and must share.
struct ReceivedEvents {
    enum Kind {
        case heard(ModelResult, to: ModelQuery)
        case flushed(reader: String?)
        case flushedName(of: String)
    }

    let kind: Kind
    let order: Int
    /// The time by the clock then.
    let timestamp: Date
    let from: Int

    func isAuthentication(of key: String) -> Bool {
        guard case .heard(.authentication(.authenticated(let reader)), to: .authenticate) = kind else { return false }
        return reader.key == key
    }
}

/// The subject of a denial: a reader, or an edition for a reader.
struct Subject: Hashable {
    let reader: String
    let edition: EditionID?

    init?(_ query: ModelQuery) {
        switch query {
        case .subscription(let subscriber): (reader, edition) = (subscriber.key, nil)
        case .verdict(let edition, let subscriber): (reader, self.edition) = (subscriber.key, edition)
        case .authenticate, .renew, .signOut: return nil
        }
    }
}

/// The extent of earlier results that a rejection ends.
enum Rejection: Equatable {
    case subscription(SubscriptionState)
    case edition(CredentialsRejection.Reason?)

    init?(_ result: ModelResult) {
        switch result {
        case .subscription(let reported) where reported.state != .active: self = .subscription(reported.state)
        case .verdict(.rejected(let reason, _)): self = .edition(reason)
        default: return nil
        }
    }
}

/// Sessions that one process ended and has not shared yet.
struct SessionTermination {
    let from: Int
    let sessionNumbers: Set<Int>
    let isOfScope: (HistoryRunner.HeldToken) -> Bool
}
