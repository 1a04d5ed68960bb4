import Foundation
import Gatefold

/// The shared facts that one process writes together, in few statements, because every process waits for the lock of the
/// transaction.
struct SharedFactBatch {
    private struct Recorded {
        let fact: SharedFact
        let origin: [UInt8]
    }

    private static let table = "shared_fact"

    private let facts: [SharedFact]
    private let origin: [UInt8]
    private let present: Date
    private let lag: TimeInterval

    /// - Parameters:
    ///   - facts: The facts, in the order in which the process learnt them.
    ///   - origin: The process.
    ///   - present: The present time.
    ///   - lag: The number of seconds by which the expiry of the facts is postponed.
    init(_ facts: [SharedFact], origin: [UInt8], present: Date, lag: TimeInterval) {
        self.facts = facts
        self.origin = origin
        self.present = present
        self.lag = lag
    }

    /// Replaces the recorded facts and moves them to the end of the sequence, so that followers see them.
    func record(_ db: any StateTransaction) throws {
        var recorded = try recorded(db)
        var added: [SharedFact] = []
        var removed: Set<SharedFact.ID> = []
        for fact in facts {
            let known = recorded[fact.id]
            if let known, !fact.isMergeable, isOutdated(fact, by: known) { continue }
            // A recorded fact that is unreadable is replaced as well.
            removed.insert(fact.id)
            if fact.isMergeable {
                for id in recorded.values.map(\.fact).filter(fact.supersedes).map(\.id) {
                    removed.insert(id)
                    recorded[id] = nil
                }
                added.removeAll { fact.supersedes($0) }
            } else {
                added.removeAll { $0.id == fact.id }
            }
            let value = known.map { fact.value(mergedWith: $0.fact.value) } ?? fact.value
            let new = SharedFact(
                id: fact.id, value: value, timestamp: fact.timestamp, end: fact.end.addingTimeInterval(lag))
            recorded[fact.id] = Recorded(fact: new, origin: origin)
            added.append(new)
        }
        try StatementPart.each(of: Array(removed)) { ids in
            try db.execute(
                "DELETE FROM shared_fact WHERE \(StatementPart.condition("kind subject backend detail", ids.count))",
                ids.flatMap { Self.arguments($0) })
        }
        try StatementPart.each(of: added) { facts in try insert(db, facts) }
    }

    /// Returns whether another process learnt something later about the same ID but wrote it earlier. This is possible
    /// because processes write in batches.
    ///
    /// All processes of a state share one clock, and each process writes in its own order. A recorded timestamp in the
    /// future was written before the clock was set back. The recorded fact then counts as the earlier one.
    private func isOutdated(_ fact: SharedFact, by known: Recorded) -> Bool {
        known.fact.timestamp > fact.timestamp && known.fact.timestamp <= present && known.origin != origin
    }

    // MARK: Rows

    /// Returns the recorded facts that the batch may replace or join. Unreadable rows are left out.
    private func recorded(_ db: any StateTransaction) throws -> [SharedFact.ID: Recorded] {
        var recorded: [SharedFact.ID: Recorded] = [:]
        func read(_ condition: String, _ arguments: StateArguments) throws {
            let rows = try db.rows(
                "SELECT sequence, \(SQLStateStore.columns) FROM shared_fact WHERE \(condition)", arguments)
            for row in rows {
                guard let fact = try? SQLStateStore.fact(row),
                    let origin = try? Array(StateRow.bytes(row, 1, Self.table))
                else { continue }
                recorded[fact.id] = Recorded(fact: fact, origin: origin)
            }
        }
        try StatementPart.each(of: Array(Set(facts.map(\.id)))) { ids in
            try read(
                StatementPart.condition("kind subject backend detail", ids.count), ids.flatMap { Self.arguments($0) })
        }
        // A fact about all details also replaces those about single details.
        try StatementPart.each(of: Array(Set(facts.filter(\.isMergeable).map(\.id.subject)))) { subjects in
            try read(
                StatementPart.condition("kind subject", subjects.count),
                subjects.flatMap { [SharedFact.Kind.denial.rawValue, Data($0)] as StateArguments })
        }
        return recorded
    }

    private func insert(_ db: any StateTransaction, _ facts: [SharedFact]) throws {
        let rows = Array(repeating: "(?, ?, ?, ?, ?, ?, ?, ?)", count: facts.count).joined(separator: ", ")
        let arguments: StateArguments = try facts.flatMap { fact -> StateArguments in
            [
                fact.id.kind.rawValue, try StateText.storable(fact.id.backend, Self.table), Data(fact.id.subject),
                Data(fact.id.detail), Data(fact.value), fact.timestamp.timeIntervalSince1970,
                fact.end.timeIntervalSince1970, Data(origin),
            ]
        }
        try db.execute(
            """
            INSERT INTO shared_fact (kind, backend, subject, detail, value, recorded_at, ends, origin)
            VALUES \(rows)
            """, arguments)
    }

    private static func arguments(_ id: SharedFact.ID) -> StateArguments {
        [id.kind.rawValue, Data(id.subject), id.backend, Data(id.detail)]
    }
}
