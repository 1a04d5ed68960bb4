import Foundation
import PostgreSQL
import TestSupport

@testable import State

/// A model of a PostgreSQL server with one standby: multi-version rows, row locks, unique keys, advisory locks, the
/// isolation levels, transaction numbers and snapshots, a clock, crashes and failovers.
///
/// What is modelled and what is not:
/// - A statement of `READ COMMITTED` sees what is committed when it starts. The others see one snapshot.
/// - A write of a row that another transaction in progress wrote waits for its end. Then `READ COMMITTED` runs the
///   statement again, and the others fail with 40001 if the other committed.
/// - `SERIALIZABLE` fails at its commit if another serializable transaction changed a table that it read. PostgreSQL
///   fails less often.
/// - A commit is visible, and releases its locks, after the standby has confirmed it.
/// - A row that a statement read and left unchanged is not locked.
final class SimulatedServer: Sendable {
    enum Isolation { case snapshot, serializable, readCommitted }

    enum Ending { case none, committed, rolledBack }

    final class Transaction: Sendable {
        let isolation: Isolation
        let token: String?
        nonisolated(unsafe) var xid: Int64 = 0
        /// The number of commits that the snapshot has.
        nonisolated(unsafe) var snapshot = 0
        /// The text of `pg_current_snapshot()`.
        nonisolated(unsafe) var horizon = ""
        nonisolated(unsafe) var changes: [DatabaseImage.Change] = []
        nonisolated(unsafe) var keys: Set<DatabaseImage.RowKey> = []
        nonisolated(unsafe) var advisoryLock: Int64?
        nonisolated(unsafe) var tablesRead: Set<String> = []
        nonisolated(unsafe) var isCommitting = false
        nonisolated(unsafe) var ending = Ending.none
        /// The transactions that this one waits for.
        nonisolated(unsafe) var blockers: [Transaction] = []
        nonisolated(unsafe) var actionsAtEnd: [() -> Void] = []

        init(_ isolation: Isolation, token: String?) {
            self.isolation = isolation
            self.token = token
        }

        func isBlocked(by other: Transaction) -> Bool {
            blockers.contains { $0 === other || $0.isBlocked(by: other) }
        }
    }

    private struct Commit {
        let transaction: Transaction
        let time: TimeInterval
        let tables: Set<String>
    }

    let simulation: Simulation
    let image: DatabaseImage
    /// Called after each commit with the names of the changed tables.
    nonisolated(unsafe) var didCommit: (Set<String>) -> Void = { _ in }
    nonisolated(unsafe) private(set) var isUp = true
    /// The number of failovers and restarts.
    nonisolated(unsafe) private(set) var timeline = 1
    /// The seconds by which the clock of the primary differs from the time.
    nonisolated(unsafe) private(set) var clockOffset: TimeInterval = 0
    /// The range of the seconds that the standby takes to confirm a commit.
    nonisolated(unsafe) var commitDelay: ClosedRange<TimeInterval> = 0.000_5...0.004
    nonisolated(unsafe) private(set) var open: [Transaction] = []
    nonisolated(unsafe) private var sessions: [SimulatedSession] = []
    nonisolated(unsafe) private var commits: [Commit] = []
    nonisolated(unsafe) private var tokens: Set<String> = []
    nonisolated(unsafe) private var nextXid: Int64 = 1_000
    nonisolated(unsafe) private var numbers: [String: Int64] = [:]

    init(_ simulation: Simulation, image: DatabaseImage) throws {
        self.simulation = simulation
        self.image = image
        try image.reset(generation: simulation.random.bytes(16))
    }

    var time: Date { Simulation.start.addingTimeInterval(simulation.now + clockOffset) }

    var history: String { "timeline \(timeline)" }

    // MARK: Transactions

    func begin(_ isolation: Isolation, token: String?) -> Transaction {
        let transaction = Transaction(isolation, token: token)
        open.append(transaction)
        return transaction
    }

    /// Gives a transaction its number, if it may write, and its snapshot.
    func start(_ transaction: Transaction) {
        if transaction.token != nil {
            transaction.xid = nextXid
            nextXid += 1
        }
        let running = open.map(\.xid).filter { $0 != 0 }.sorted()
        transaction.horizon =
            "\(running.first ?? nextXid):\(nextXid):\(running.map(String.init).joined(separator: ","))"
        transaction.snapshot = commits.count
    }

    /// Runs a statement.
    ///
    /// - Returns: Nil if the statement has to wait for the transactions in `blockers`.
    func run(
        _ statement: TranslatedStatement, _ values: [StateValue], in transaction: Transaction
    ) throws -> (DatabaseImage.Result?, blockers: [Transaction], sqlState: String?) {
        let seen = transaction.isolation == .readCommitted ? commits.count : transaction.snapshot
        let unseen = commits[seen...].reversed().flatMap { $0.transaction.changes.reversed().map(\.reversed) }
        transaction.tablesRead.formUnion(statement.tables)
        var (result, changes) = try image.run(
            statement.sql, values, unseen: unseen, own: transaction.changes, numbers: &numbers)
        for index in changes.indices {
            guard let column = image.tables[changes[index].table]?.xidColumn else { continue }
            changes[index].new?[column] = .integer(transaction.xid)
        }
        let keys = Set(changes.flatMap { image.keys(of: $0) })
        let blockers = keys.isEmpty ? [] : open.filter { $0 !== transaction && !$0.keys.isDisjoint(with: keys) }
        if !blockers.isEmpty {
            transaction.blockers = blockers
            let isDeadlocked = blockers.contains { $0.isBlocked(by: transaction) }
            if isDeadlocked { transaction.blockers = [] }
            return (nil, blockers, isDeadlocked ? "40P01" : nil)
        }
        if transaction.isolation != .readCommitted,
            commits[transaction.snapshot...].contains(where: { !$0.transaction.keys.isDisjoint(with: keys) })
        {
            return (nil, [], "40001")
        }
        transaction.blockers = []
        transaction.keys.formUnion(keys)
        transaction.changes += changes
        return (result, [], nil)
    }

    /// Begins the commit of a transaction, which the standby has to confirm.
    ///
    /// - Returns: The SQLSTATE of the error that prevents the commit.
    func beginCommit(_ transaction: Transaction) -> String? {
        if transaction.isolation == .serializable, transaction.token != nil, !transaction.changes.isEmpty,
            commits[transaction.snapshot...].contains(where: {
                $0.transaction.isolation == .serializable && !$0.tables.isDisjoint(with: transaction.tablesRead)
            })
        {
            return "40001"
        }
        transaction.isCommitting = true
        guard transaction.token != nil else {
            end(transaction, .committed)
            return nil
        }
        simulation.after(simulation.number(commitDelay.lowerBound, commitDelay.upperBound)) { [self] in
            if transaction.isCommitting { confirm(transaction) }
        }
        return nil
    }

    private func confirm(_ transaction: Transaction) {
        transaction.isCommitting = false
        do {
            for change in transaction.changes { try image.apply(change) }
        } catch {
            simulation.violate("the simulation cannot apply a commit: \(error)")
        }
        let tables = Set(transaction.changes.map(\.table))
        commits.append(Commit(transaction: transaction, time: simulation.now, tables: tables))
        if let token = transaction.token { tokens.insert(token) }
        end(transaction, .committed)
        if !tables.isEmpty { didCommit(tables) }
    }

    func end(_ transaction: Transaction, _ ending: Ending) {
        guard transaction.ending == .none else { return }
        transaction.ending = ending
        transaction.isCommitting = false
        open.removeAll { $0 === transaction }
        let actionsAtEnd = transaction.actionsAtEnd
        transaction.actionsAtEnd = []
        for action in actionsAtEnd { simulation.soon(action) }
    }

    /// Writes a token, as a transaction of its own.
    ///
    /// - Returns: False if the token is there already.
    func write(token: String) -> Bool { tokens.insert(token).inserted }

    /// Returns the transaction in progress that holds an advisory lock.
    func owner(of lock: Int64) -> Transaction? { open.first { $0.advisoryLock == lock } }

    func owner(ofToken token: String) -> Transaction? { open.first { $0.token == token } }

    // MARK: Sessions

    func add(_ session: SimulatedSession) { sessions.append(session) }

    func remove(_ session: SimulatedSession) { sessions.removeAll { $0 === session } }

    /// Ends all calls when the simulation is over.
    func tearDown() { for session in sessions { session.fail(.lost) } }

    // MARK: Failures

    /// Stops the primary. Transactions that were not acknowledged may be lost, or not.
    ///
    /// - Parameter loss: The number of seconds whose commits are lost although they were acknowledged.
    func crash(losing loss: TimeInterval?) {
        isUp = false
        for transaction in open {
            if transaction.isCommitting, simulation.chance(0.5) {
                confirm(transaction)
            } else {
                end(transaction, .rolledBack)
            }
        }
        for session in sessions where session.isConnected { session.fail(.lost) }
        while let loss, let last = commits.last, last.time > simulation.now - loss {
            do {
                for change in last.transaction.changes.reversed() { try image.apply(change.reversed) }
            } catch {
                simulation.violate("the simulation cannot undo a commit: \(error)")
            }
            if let token = last.transaction.token { tokens.remove(token) }
            commits.removeLast()
        }
    }

    /// Lets the standby become the primary. Its numbers of transactions may have been assigned before.
    func promote(clockOffset: TimeInterval) {
        isUp = true
        timeline += 1
        self.clockOffset = clockOffset
        nextXid = (commits.map(\.transaction.xid).max() ?? 999) + 1
    }
}
