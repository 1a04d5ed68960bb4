import CLibPQ

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension LibPQConnection {
    typealias Limits = PostgreSQLConnection.Limits

    func query(
        _ sql: String, _ values: [String?], _ limits: Limits, cancels: Bool = true
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        try result(limits, valueCount: values.count, cancels: cancels) {
            withTexts(values) { library.sendQueryParams(handle, sql, $1, nil, $0, nil, nil, 0) == 1 }
        }
    }

    func script(_ sql: String, _ limits: Limits) throws(PostgreSQLError) -> PostgreSQLRows {
        try result(limits, isScript: true) { library.sendQuery(handle, sql) == 1 }
    }

    func change(
        _ sql: String, _ values: [String?], _ limits: Limits, cancels: Bool
    ) throws(PostgreSQLError) -> Int? {
        lastCount = nil
        do {
            _ = try query(sql, values, limits, cancels: cancels)
        } catch {
            guard error == .noRows else { throw error }
        }
        return lastCount
    }

    var isInTransaction: Bool {
        guard let handle else { return false }
        return library.transactionStatus(handle) != PQTRANS_IDLE
    }

    private func count(of result: OpaquePointer) -> Int? {
        library.changedRows(result).flatMap { Int(String(cString: $0)) }
    }

    /// Sends statements, and reads the whole result.
    ///
    /// - Parameters:
    ///   - valueCount: The number of parameters.
    ///   - cancels: Whether the server is asked to cancel the statement when it takes too long.
    ///   - isScript: Whether there may be several statements, of which at most one returns rows.
    ///   - send: Queues the statement, and returns whether it could be queued.
    private func result(
        _ limits: Limits, valueCount: Int = 0, isScript: Bool = false, cancels: Bool = true, _ send: () -> Bool
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        do {
            // The flag stays set until the result is read to its end.
            isPoisoned = true
            let rows = try execute(limits, valueCount, isScript: isScript, send)
            isPoisoned = false
            return rows
        } catch {
            switch error {
            case .serverError, .valueRejected, .noRows: isPoisoned = false
            case .timedOut, .interrupted, .tooManyRows: if cancels { cancelStatement() }
            default: break
            }
            throw error
        }
    }

    private func execute(
        _ limits: Limits, _ valueCount: Int, isScript: Bool, _ sendStatement: () -> Bool
    ) throws(PostgreSQLError) -> PostgreSQLRows {
        let deadline = ContinuousClock.now + limits.time
        guard sendStatement(), library.setSingleRowMode(handle) == 1 else { throw .lost }
        try send(until: deadline)
        var response = PostgreSQLRows()
        var failure: PostgreSQLError?
        var isComplete = false
        var bytes = 0
        while let result = try nextResult(until: deadline) {
            defer { library.clear(result) }
            switch library.resultStatus(result) {
            case PGRES_SINGLE_TUPLE, PGRES_TUPLES_OK:
                if response.columns.isEmpty {
                    response.columns = try columns(of: result)
                    response.types = (0..<library.columns(result)).map { library.columnType(result, $0) }
                }
                for row in 0..<library.rows(result) {
                    guard response.rows.count < limits.rows else { throw .tooManyRows }
                    response.rows.append(try texts(row, of: result, &bytes))
                }
                guard bytes <= limits.bytes else { throw .tooManyRows }
                if library.resultStatus(result) == PGRES_TUPLES_OK {
                    isComplete = true
                    lastCount = count(of: result)
                }
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                lastCount = count(of: result)
                if !isScript { failure = failure ?? .noRows }
            case PGRES_FATAL_ERROR:
                failure = failure ?? self.failure(of: result, valueCount)
            default:
                // A COPY, which would have to be ended, or a result that libpq does not know.
                throw .unexpectedResponse
            }
            switch failure {
            case nil, .serverError, .valueRejected, .noRows: continue
            case let failure?: throw failure
            }
        }
        if let failure { throw failure }
        guard isComplete || isScript else { throw .lost }
        return response
    }

    private func send(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
        while true {
            switch library.flush(handle) {
            case 0: return
            case 1:
                // The client must read data that the server sends meanwhile, because otherwise both would wait for
                // each other.
                let ready = try wait(POLLIN | POLLOUT, until: deadline)
                if ready & POLLIN != 0, library.consumeInput(handle) == 0 { throw .lost }
            default: throw .lost
            }
        }
    }

    /// Returns the next result, or nil after the last.
    private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer? {
        while library.isBusy(handle) != 0 {
            _ = try wait(POLLIN, until: deadline)
            guard library.consumeInput(handle) == 1 else { throw .lost }
        }
        return library.getResult(handle)
    }

    private func failure(of result: OpaquePointer, _ values: Int) -> PostgreSQLError {
        // PG_DIAG_SQLSTATE
        if let text = library.resultErrorField(result, CInt(UInt8(ascii: "C"))) {
            let state = String(cString: text)
            // PG_DIAG_CONTEXT. It may quote values, so it is not passed on.
            if state.hasPrefix("22"), let context = library.resultErrorField(result, CInt(UInt8(ascii: "W"))),
                PostgreSQLError.isBoundValueError(context: String(cString: context), values: values)
            {
                return .valueRejected(sqlState: state)
            }
            return .serverError(sqlState: state)
        }
        return library.status(handle) == CONNECTION_OK ? .unexpectedResponse : .lost
    }

    private func columns(of result: OpaquePointer) throws(PostgreSQLError) -> [String] {
        var names: [String] = []
        for column in 0..<library.columns(result) {
            guard let name = library.columnName(result, column), let text = String(validatingCString: name) else {
                throw .unreadableText
            }
            names.append(text)
        }
        return names
    }

    private func texts(
        _ row: CInt, of result: OpaquePointer, _ bytes: inout Int
    ) throws(PostgreSQLError) -> [String?] {
        var values: [String?] = []
        for column in 0..<library.columns(result) {
            guard library.isNull(result, row, column) == 0, let start = library.value(result, row, column) else {
                values.append(nil)
                continue
            }
            let length = Int(library.length(result, row, column))
            bytes += length
            let letters = UnsafeRawBufferPointer(start: start, count: length)
            guard let text = String(validating: letters, as: UTF8.self) else { throw .unreadableText }
            values.append(text)
        }
        return values
    }

    private func withTexts<Result>(
        _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?, CInt) -> Result
    ) -> Result {
        PostgreSQL.withTexts(texts) { body(texts.isEmpty ? nil : $0, CInt(texts.count)) }
    }
}
