internal import CODBC
import Foundation
import Synchronization

/// A connection through an ODBC driver. One thread runs statements at a time; any thread may call ``interrupt()``.
///
/// `Sendable`, because a lock protects all mutable state, and the code that still uses a handle holds a reference
/// to it.
public final class ODBCConnection: Sendable {
    public struct Options: Sendable {
        /// The time limit for the connection, in seconds. A driver may have no such limit, or its own attribute for
        /// it. Default: 5 s.
        public var loginTimeout: Int
        /// The time limit for one statement, in seconds. A driver may not support it. Default: 10 s.
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
        /// The connection handle, or nil when closed.
        var connection: ODBCHandle?
        /// The statement in which the calling thread may be blocked.
        var blocking: ODBCHandle?
        var isInterrupted = false
        var isBroken = false
    }

    private let functions: ODBCFunctions
    private let options: Options
    private let state: Mutex<State>

    /// Connects, and blocks meanwhile.
    public init(_ library: ODBCLibrary, to string: ODBCConnectionString, _ options: Options) throws(ODBCError) {
        functions = library.functions
        self.options = options
        let handle = try ODBCHandle(.connection, of: library.environment, functions, for: .connect)
        for attribute in [SQL_ATTR_LOGIN_TIMEOUT, SQL_ATTR_CONNECTION_TIMEOUT] {
            // Drivers without such a timeout reject the attribute, so the result is ignored.
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

    /// A Boolean value that indicates whether the connection may run another statement.
    public var isUsable: Bool {
        state.withLock { $0.connection != nil && !$0.isInterrupted && !$0.isBroken }
    }

    /// Requests that the driver end the call in progress, and makes the connection unusable. Returns immediately;
    /// the call ends when the driver and the server end it.
    public func interrupt() {
        let blocking = state.withLock { state in
            let first = !state.isInterrupted
            state.isInterrupted = true
            return first ? state.blocking : nil
        }
        guard let blocking else { return }
        // Some drivers connect to the server to cancel a statement, which can block as long as the server does.
        Thread.detachNewThread { [functions] in _ = functions.cancel(blocking.pointer) }
    }

    /// Closes the connection. It ends when the last call on it returns.
    public func close() {
        let connection = state.withLock { state in
            defer { state.connection = nil }
            return state.connection
        }
        _ = consume connection
    }

    /// Runs a statement and fetches its whole result. Blocks meanwhile.
    ///
    /// - Parameters:
    ///   - sql: with a `?` for each of the values.
    ///   - values: bound in their order, nil as NULL.
    /// - Throws: ``ODBCError``. After an error that ends the connection, the connection is unusable.
    public func rows(_ sql: String, _ values: [String?]) throws(ODBCError) -> ODBCRows {
        try recordingErrors { () throws(ODBCError) in
            try run(sql, values) { statement, handle throws(ODBCError) in
                try statement.fetch { call throws(ODBCError) in
                    var result = SQLRETURN(SQL_ERROR)
                    try blocking(in: handle) { result = call() }
                    return result
                }
            }
        }
    }

    /// Runs a statement for its changes and does not fetch its rows, if it returns any. Blocks meanwhile.
    ///
    /// - Returns: the number of changed rows, or nil where the driver does not report it.
    /// - Throws: ``ODBCError``. After an error that ends the connection, the connection is unusable.
    public func change(_ sql: String, _ values: [String?]) throws(ODBCError) -> Int? {
        try recordingErrors { () throws(ODBCError) in
            try run(sql, values) { statement, _ throws(ODBCError) in statement.changedRows }
        }
    }

    /// Begins a transaction. It includes all statements until ``endTransaction(committing:)``.
    public func beginTransaction() throws(ODBCError) { try setAutocommit(false) }

    /// Ends the transaction and blocks meanwhile. When that fails, the connection is unusable, and the outcome of
    /// the transaction is unknown.
    public func endTransaction(committing: Bool) throws(ODBCError) {
        let connection = try connection()
        let completionType = SQLSMALLINT(committing ? SQL_COMMIT : SQL_ROLLBACK)
        guard functions.endTran(SQLSMALLINT(SQL_HANDLE_DBC), connection.pointer, completionType).isSuccess else {
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

    /// Runs the work and records errors after which the connection is unusable.
    private func recordingErrors<Value>(_ work: () throws(ODBCError) -> Value) throws(ODBCError) -> Value {
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

    private func run<Value>(
        _ sql: String, _ values: [String?],
        _ read: (ODBCStatement, ODBCHandle) throws(ODBCError) -> Value
    ) throws(ODBCError) -> Value {
        let connection = try connection()
        let handle = try ODBCHandle(.statement, of: connection, functions, for: .prepare)
        let parameters = try ODBCParameters(values, options.encoding)
        let statement = ODBCStatement(handle, functions, options)
        // The driver reads the values until the statement is executed, and some drivers until its rows are fetched.
        return try withExtendedLifetime(parameters) { () throws(ODBCError) in
            try blocking(in: handle) { () throws(ODBCError) in try statement.execute(sql, parameters) }
            return try read(statement, handle)
        }
    }

    /// Makes a call in which the driver may block. SQLCancel runs during that call, or after it if no other call on
    /// the statement follows. SQLCancel therefore never runs during a call that does not expect it.
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
