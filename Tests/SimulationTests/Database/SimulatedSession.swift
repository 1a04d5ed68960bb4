import Foundation
import Primitives

@testable import PostgreSQL
@testable import State

/// A connection of a node to the simulated server, over the simulated network.
///
/// It receives what libpq would send, the scripts that start transactions included.
final class SimulatedSession: PostgreSQLSession {
    private let network: DatabaseNetwork
    private let server: SimulatedServer
    private let simulation: Simulation
    private let coroutine: Coroutine
    nonisolated(unsafe) private var transaction: SimulatedServer.Transaction?
    nonisolated(unsafe) private(set) var isConnected = false
    nonisolated(unsafe) private var failure: PostgreSQLError?
    /// The number of the wait in progress; 0 for none.
    nonisolated(unsafe) private var waiting = 0
    nonisolated(unsafe) private var lastWait = 0
    nonisolated(unsafe) private var crashAction: Int?

    var life: NodeLife { network.life }

    init(_ network: DatabaseNetwork, _ coroutine: Coroutine) {
        self.network = network
        self.coroutine = coroutine
        server = network.server
        simulation = network.server.simulation
        server.add(self)
        crashAction = life.onCrash { [self] in fail(.lost) }
    }

    var isInTransaction: Bool { transaction != nil && failure == nil }

    func close() {
        server.remove(self)
        if let crashAction { life.removeCrashAction(crashAction) }
        if let transaction, !transaction.isCommitting { server.end(transaction, .rolledBack) }
        transaction = nil
    }

    /// Ends the connection. The call in progress throws the error, and the server ends the transaction, unless it is
    /// committing.
    func fail(_ error: PostgreSQLError) {
        guard failure == nil else { return }
        failure = error
        if let transaction, !transaction.isCommitting { server.end(transaction, .rolledBack) }
        if waiting != 0 {
            waiting = 0
            if simulation.isOver { coroutine.resume() } else { simulation.soon(coroutine.resume) }
        }
    }

    // MARK: Waiting

    /// Suspends the call until the function that `arrange` receives is called, or until the connection fails.
    private func wait(_ arrange: (@escaping () -> Void) -> Void) throws(PostgreSQLError) {
        if let failure { throw failure }
        if simulation.isOver { throw .lost }
        lastWait += 1
        let number = lastWait
        waiting = number
        arrange { [self] in
            life.whenRunning { [self] in
                guard waiting == number else { return }
                waiting = 0
                coroutine.resume()
            }
        }
        Coroutine.suspend()
        if let failure { throw failure }
    }

    /// Waits like a message on its way. The time limit of the response ends a call whose message does not arrive.
    private func travel() throws(PostgreSQLError) {
        if !network.isConnected {
            let failure: PostgreSQLError = isConnected ? .timedOut : .couldNotConnect(.timedOut)
            let timeout = network.timeout
            // The server ends a transaction whose client is silent.
            let transaction = transaction
            simulation.after(min(timeout, 3)) { [server] in
                if let transaction, !transaction.isCommitting { server.end(transaction, .rolledBack) }
            }
            try wait { resume in simulation.after(timeout, resume) }
            fail(failure)
            throw failure
        }
        try wait { resume in simulation.after(network.latency, resume) }
    }

    /// Connects to the server. Call it before the session is used.
    func connect() throws(PostgreSQLError) {
        try travel()
        guard server.isUp else {
            fail(.couldNotConnect(.unreachable))
            throw .couldNotConnect(.unreachable)
        }
        isConnected = true
    }

    /// Waits for the end of a transaction, at most for the time limit of a statement.
    private func wait(for other: SimulatedServer.Transaction) throws(PostgreSQLError) {
        let start = simulation.now
        try wait { resume in
            other.actionsAtEnd.append(resume)
            simulation.after(3, resume)
        }
        if other.ending == .none, simulation.now - start >= 3 { throw .serverError(sqlState: "57014") }
    }

    // MARK: Statements

    func script(_ sql: String, _ limits: PostgreSQLConnection.Limits) throws(PostgreSQLError) -> PostgreSQLRows {
        try travel()
        let levels: [(String, SimulatedServer.Isolation)] = [
            ("REPEATABLE READ READ ONLY;", .snapshot), ("SERIALIZABLE READ WRITE;", .serializable),
            ("READ COMMITTED READ WRITE;", .readCommitted),
        ]
        guard let isolation = levels.first(where: { sql.hasPrefix("BEGIN ISOLATION LEVEL \($0.0)") })?.1 else {
            throw unsupported(sql)
        }
        let token = Self.part(of: sql, between: "VALUES ('", and: "'")
        let transaction = server.begin(isolation, token: token)
        self.transaction = transaction
        if let text = Self.part(of: sql, between: "pg_advisory_xact_lock(", and: ")"), let lock = Int64(text) {
            while let owner = server.owner(of: lock) { try wait(for: owner) }
            transaction.advisoryLock = lock
        }
        server.start(transaction)
        return PostgreSQLRows(
            columns: ["time"], types: [701], rows: [[String(server.time.timeIntervalSince1970)]])
    }

    func query(
        _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        let statement = TranslatedStatement.of(sql)
        switch statement.kind {
        // The preparation of the database takes no time, because the node holds a lock meanwhile.
        case .existence: return PostgreSQLRows(columns: [""], types: [16], rows: [["t"]])
        case .migrations: return PostgreSQLRows(columns: ["", "", ""], types: [20, 25, 25], rows: Self.applied)
        case .snapshot:
            try travel()
            return PostgreSQLRows(
                columns: ["", ""], types: [25, 25], rows: [[transaction?.horizon, server.history]])
        default: break
        }
        let result = try run(statement, values)
        var types = [UInt32](repeating: 25, count: result.rows.first?.count ?? 0)
        for row in result.rows {
            for (index, value) in row.enumerated() { if let type = Self.type(of: value) { types[index] = type } }
        }
        return PostgreSQLRows(
            columns: types.map { _ in "" }, types: types, rows: result.rows.map { $0.map(PostgreSQLStatement.text) })
    }

    func change(
        _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits, cancels: Bool
    ) throws(PostgreSQLError) -> Int? {
        let statement = TranslatedStatement.of(sql)
        switch statement.kind {
        case .commit:
            try commit()
            return nil
        case .rollback:
            if let transaction { server.end(transaction, .rolledBack) }
            transaction = nil
            return nil
        case .token:
            try travel()
            let token = values[0] ?? ""
            while let owner = server.owner(ofToken: token) { try wait(for: owner) }
            let isNew = server.write(token: token)
            try travel()
            return isNew ? 1 : 0
        case .tokenRemoval:
            return 0
        default:
            return try run(statement, values).changed
        }
    }

    private func run(
        _ statement: TranslatedStatement, _ values: [String?]
    ) throws(PostgreSQLError) -> DatabaseImage.Result {
        try travel()
        guard let transaction else { throw unsupported(statement.sql) }
        let values = statement.values(values)
        while true {
            guard transaction.ending == .none else {
                // The server ended it, because this node was silent for too long.
                fail(.lost)
                throw .lost
            }
            let outcome: (DatabaseImage.Result?, blockers: [SimulatedServer.Transaction], sqlState: String?)
            do {
                outcome = try server.run(statement, values, in: transaction)
            } catch {
                simulation.violate("the simulation cannot run a statement: \(error)")
                throw .unexpectedResponse
            }
            if let state = outcome.sqlState { throw .serverError(sqlState: state) }
            if let result = outcome.0 { return result }
            for blocker in outcome.blockers where blocker.ending == .none { try wait(for: blocker) }
        }
    }

    private func commit() throws(PostgreSQLError) {
        guard let transaction else { throw .unexpectedResponse }
        try travel()
        // The connection can end before the server reads the message, while it commits, and before the response.
        if network.losesMessage() { fail(.lost) }
        if let failure { throw failure }
        guard transaction.ending == .none else {
            fail(.lost)
            throw .lost
        }
        if let state = server.beginCommit(transaction) { throw .serverError(sqlState: state) }
        while transaction.ending == .none { try wait { resume in transaction.actionsAtEnd.append(resume) } }
        guard transaction.ending == .committed else {
            fail(.lost)
            throw .lost
        }
        if transaction.token != nil {
            if network.losesMessage() { fail(.lost) }
            try travel()
        }
        self.transaction = nil
    }

    // MARK: Formats

    private func unsupported(_ sql: String) -> PostgreSQLError {
        simulation.violate("the simulation does not know a statement: \(sql)")
        return .unexpectedResponse
    }

    /// The migrations of the tables, so that they are up to date.
    private static let applied: [[String?]] = PostgreSQLStateSchema.migrations.map {
        [String($0.number), $0.checksum, $0.name]
    }

    private static func part(of text: String, between start: String, and end: Character) -> String? {
        text.withCString { text in
            guard let first = strstr(text, start),
                let last = strchr(first + start.utf8.count, CInt(end.asciiValue ?? 0))
            else { return nil }
            let from = first + start.utf8.count
            return String(decoding: UnsafeRawBufferPointer(start: from, count: last - from), as: UTF8.self)
        }
    }

    private static func type(of value: StateValue) -> UInt32? {
        switch value {
        case .null: nil
        case .integer: 20
        case .real: 701
        case .text: 25
        case .bytes: 17
        }
    }
}
