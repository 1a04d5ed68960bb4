internal import CODBC
import Foundation
import Synchronization

/// A connection through a driver. One thread asks at a time; ``interrupt()`` may come from any.
///
/// `Sendable`, because what changes is behind the lock, and the handles are kept by whoever still uses them.
public final class ODBCConnection: Sendable {
    public struct Options: Sendable {
        /// For the connection, in seconds; a driver may have no such limit, or an attribute of its own for it.
        public var loginTimeout: Int
        /// For one statement, in seconds; a driver may know none.
        public var queryTimeout: Int
        public var encoding: ODBCEncoding
        public var limits: ODBCLimits

        public init(
            loginTimeout: Int = 5, queryTimeout: Int = 10, encoding: ODBCEncoding = .driver,
            limits: ODBCLimits = ODBCLimits()
        ) {
            self.loginTimeout = loginTimeout
            self.queryTimeout = queryTimeout
            self.encoding = encoding
            self.limits = limits
        }
    }

    private struct State {
        /// Nil when closed.
        var connection: ODBCHandle?
        /// The statement that the asking thread may be blocked in.
        var blocking: ODBCHandle?
        var isInterrupted = false
        var isBroken = false
    }

    private let functions: ODBCFunctions
    private let options: Options
    private let state: Mutex<State>

    /// Connects; blocks.
    public init(_ library: ODBCLibrary, to string: ODBCConnectionString, _ options: Options) throws(ODBCError) {
        functions = library.functions
        self.options = options
        let handle = try ODBCHandle(.connection, of: library.environment, functions, for: .connect)
        for attribute in [SQL_ATTR_LOGIN_TIMEOUT, SQL_ATTR_CONNECTION_TIMEOUT] {
            // Drivers that have no such timeout refuse it.
            let seconds = attribute == SQL_ATTR_LOGIN_TIMEOUT ? options.loginTimeout : options.queryTimeout
            let value = UnsafeMutableRawPointer(bitPattern: UInt(max(0, seconds)))
            _ = functions.setConnectAttr(handle.pointer, SQLINTEGER(attribute), value, SQLINTEGER(SQL_IS_UINTEGER))
        }
        var text = Array(string.text.utf16) + [0]
        let began = ContinuousClock.now
        let result = functions.driverConnect(
            handle.pointer, nil, &text, SQLSMALLINT(text.count - 1), nil, 0, nil, SQLUSMALLINT(SQL_DRIVER_NOPROMPT))
        guard result.isSuccess else {
            let late = options.loginTimeout > 0 && ContinuousClock.now - began >= .seconds(options.loginTimeout)
            throw late ? .timedOut(.connect) : handle.error(.connect)
        }
        handle.isConnected.store(true, ordering: .releasing)
        state = Mutex(State(connection: handle))
    }

    /// Whether it may be asked again.
    public var isUsable: Bool {
        state.withLock { $0.connection != nil && !$0.isInterrupted && !$0.isBroken }
    }

    /// Asks the driver to end the call that is under way, and makes the connection unusable. Returns at once; the call
    /// ends when the driver and the server let it.
    public func interrupt() {
        let blocking = state.withLock { state in
            let first = !state.isInterrupted
            state.isInterrupted = true
            return first ? state.blocking : nil
        }
        guard let blocking else { return }
        // To cancel, some drivers connect to the server first, which takes as long as the server likes.
        Thread.detachNewThread { [functions] in _ = functions.cancel(blocking.pointer) }
    }

    /// The connection ends when the last call on it has.
    public func close() {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        _ = consume connection
    }

    /// Runs a statement and fetches its whole answer; blocks.
    ///
    /// - Parameters:
    ///   - sql: with a `?` for each of the values.
    ///   - values: bound in their order, nil as NULL.
    /// - Throws: ``ODBCError``; after one that ends the connection, it is unusable.
    public func rows(_ sql: String, _ values: [String?]) throws(ODBCError) -> ODBCRows {
        try noting { () throws(ODBCError) in
            try run(sql, values) { statement, handle throws(ODBCError) in
                try statement.fetch { call throws(ODBCError) in
                    var result = SQLRETURN(SQL_ERROR)
                    try blocking(in: handle) { result = call() }
                    return result
                }
            }
        }
    }

    /// Runs a statement for what it changes; blocks. Its rows, if it gives any, are not fetched.
    ///
    /// - Returns: how many rows it changed; nil where the driver does not know.
    /// - Throws: ``ODBCError``; after one that ends the connection, it is unusable.
    public func change(_ sql: String, _ values: [String?]) throws(ODBCError) -> Int? {
        try noting { () throws(ODBCError) in
            try run(sql, values) { statement, _ throws(ODBCError) in statement.changedRows }
        }
    }

    /// Begins a transaction: what is asked until ``endTransaction(committing:)`` belongs to it.
    public func beginTransaction() throws(ODBCError) { try setAutocommit(false) }

    /// Ends the transaction; blocks. When that fails, the connection is unusable, and how the transaction ended unknown.
    public func endTransaction(committing: Bool) throws(ODBCError) {
        let connection = try connection()
        let ending = SQLSMALLINT(committing ? SQL_COMMIT : SQL_ROLLBACK)
        guard functions.endTran(SQLSMALLINT(SQL_HANDLE_DBC), connection.pointer, ending).isSuccess else {
            state.withLock { $0.isBroken = true }
            throw connection.error(.execute)
        }
        try setAutocommit(true)
    }

    private func setAutocommit(_ isOn: Bool) throws(ODBCError) {
        let connection = try connection()
        let value = UnsafeMutableRawPointer(bitPattern: isOn ? UInt(1) : 0)
        let result = functions.setConnectAttr(
            connection.pointer, SQLINTEGER(SQL_ATTR_AUTOCOMMIT), value, SQLINTEGER(SQL_IS_UINTEGER))
        guard result.isSuccess else {
            state.withLock { $0.isBroken = true }
            throw connection.error(.execute)
        }
    }

    private func connection() throws(ODBCError) -> ODBCHandle {
        guard let connection = state.withLock({ $0.connection }) else {
            throw .failed(.prepare, sqlState: "08003", native: 0)
        }
        return connection
    }

    /// Takes note of errors after which the connection can not be used.
    private func noting<Answer>(_ work: () throws(ODBCError) -> Answer) throws(ODBCError) -> Answer {
        let began = ContinuousClock.now
        do {
            return try work()
        } catch {
            guard error.endsConnection else { throw error }
            let wasInterrupted = state.withLock { state in
                state.isBroken = true
                return state.isInterrupted
            }
            if wasInterrupted { throw .interrupted }
            guard case .failed(let step, _, _) = error, options.queryTimeout > 0,
                ContinuousClock.now - began >= .seconds(options.queryTimeout)
            else { throw error }
            throw .timedOut(step)
        }
    }

    private func run<Answer>(
        _ sql: String, _ values: [String?],
        _ read: (ODBCStatement, ODBCHandle) throws(ODBCError) -> Answer
    ) throws(ODBCError) -> Answer {
        let connection = try connection()
        let handle = try ODBCHandle(.statement, of: connection, functions, for: .prepare)
        let parameters = try ODBCParameters(values, options.encoding)
        let statement = ODBCStatement(handle, functions, options)
        // The driver reads the values until the statement was executed, and some until it was fetched.
        return try withExtendedLifetime(parameters) { () throws(ODBCError) in
            try blocking(in: handle) { () throws(ODBCError) in try statement.execute(sql, parameters) }
            return try read(statement, handle)
        }
    }

    /// Makes a call in which the driver may block. SQLCancel comes while it is under way, or after it when no other call on
    /// the statement follows, and so never beside one that does not expect it.
    private func blocking(in handle: ODBCHandle, _ call: () throws(ODBCError) -> Void) throws(ODBCError) {
        try begin(handle)
        let outcome = Result { () throws(ODBCError) in try call() }
        let isInterrupted = state.withLock { state in
            state.blocking = nil
            return state.isInterrupted
        }
        if isInterrupted { throw .interrupted }
        try outcome.get()
    }

    private func begin(_ handle: ODBCHandle) throws(ODBCError) {
        let isInterrupted = state.withLock { state in
            if !state.isInterrupted { state.blocking = handle }
            return state.isInterrupted
        }
        if isInterrupted { throw .interrupted }
    }
}
