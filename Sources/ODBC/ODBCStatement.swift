internal import CODBC

/// A statement that is executed once and fetched once, as texts.
struct ODBCStatement {
    private struct Column {
        let name: String
        let type: Int32
    }

    private let handle: ODBCHandle
    private let functions: ODBCFunctions
    private let options: ODBCConnection.Options

    init(_ handle: ODBCHandle, _ functions: ODBCFunctions, _ options: ODBCConnection.Options) {
        self.handle = handle
        self.functions = functions
        self.options = options
    }

    func execute(_ sql: String, _ parameters: ODBCParameters) throws(ODBCError) {
        if options.queryTimeout > 0 {
            // Some drivers do not support this limit, so the result is ignored.
            let seconds = UnsafeMutableRawPointer(bitPattern: UInt(options.queryTimeout))
            _ = functions.setStmtAttr(handle.pointer, SQLINTEGER(SQL_ATTR_QUERY_TIMEOUT), seconds, 0)
        }
        var text = Array(sql.utf16) + [0]
        guard functions.prepare(handle.pointer, &text, SQLINTEGER(text.count - 1)).isSuccess else {
            throw handle.error(.prepare)
        }
        try parameters.bind(to: handle, functions)
        let result = functions.execute(handle.pointer)
        // A statement that could change rows but finds none returns SQL_NO_DATA (ODBC 3).
        guard result.isSuccess || result == SQLRETURN(SQL_NO_DATA) else { throw handle.error(.execute) }
    }

    /// The number of changed rows, or nil where the driver does not report it.
    var changedRows: Int? {
        var count: SQLLEN = -1
        guard functions.rowCount(handle.pointer, &count).isSuccess, count >= 0 else { return nil }
        return Int(count)
    }

    /// Fetches all rows, or throws.
    ///
    /// - Parameter fetching: makes the calls that fetch rows. They block unless the driver has buffered the rows.
    func fetch(
        fetching: (() -> SQLRETURN) throws(ODBCError) -> SQLRETURN
    ) throws(ODBCError) -> ODBCRows {
        let columns = try columns()
        guard !columns.isEmpty else { throw .noColumns }
        let limits = options.limits
        var reader = ODBCValueReader(handle, functions, limits)
        var rows: [[String?]] = []
        while true {
            let result = try fetching { functions.fetch(handle.pointer) }
            if result == SQLRETURN(SQL_NO_DATA) { break }
            guard result.isSuccess else { throw handle.error(.fetch) }
            guard rows.count < limits.rows else { throw .tooManyRows }
            var row: [String?] = []
            for (index, column) in columns.enumerated() {
                row.append(try text(of: column, SQLUSMALLINT(index + 1), &reader))
            }
            rows.append(row)
        }
        return ODBCRows(columns: columns.map(\.name), rows: rows)
    }

    private func columns() throws(ODBCError) -> [Column] {
        var count: SQLSMALLINT = 0
        guard functions.numResultCols(handle.pointer, &count).isSuccess else { throw handle.error(.execute) }
        guard count > 0 else { return [] }
        var columns: [Column] = []
        for number in 1...SQLUSMALLINT(count) {
            var name = [SQLWCHAR](repeating: 0, count: 256)
            var length: SQLSMALLINT = 0
            var type: SQLSMALLINT = 0
            let result = functions.describeCol(
                handle.pointer, number, &name, SQLSMALLINT(name.count), &length, &type, nil, nil, nil)
            guard result.isSuccess else { throw handle.error(.execute) }
            let units = name.prefix(min(max(0, Int(length)), name.count - 1)).prefix { $0 != 0 }
            columns.append(Column(name: String(decoding: units, as: UTF16.self), type: Int32(type)))
        }
        return columns
    }

    private func text(
        of column: Column, _ number: SQLUSMALLINT, _ reader: inout ODBCValueReader
    ) throws(ODBCError) -> String? {
        let text: String?
        switch column.type {
        case SQL_BINARY, SQL_VARBINARY, SQL_LONGVARBINARY:
            // Old tables store hashes and names as bytes. Drivers would convert these bytes to hexadecimal text,
            // which equals nothing.
            guard let bytes = try reader.units(number, as: SQL_C_BINARY, UInt8.self) else { return nil }
            text = options.encoding.decode(bytes)
        case SQL_BIT:
            guard let bit = try reader.units(number, as: SQL_C_BIT, UInt8.self)?.first else { return nil }
            text = bit == 0 ? "0" : "1"
        case _ where options.encoding == .driver:
            guard let units = try reader.units(number, as: SQL_C_WCHAR, UInt16.self) else { return nil }
            text = String(validating: units, as: UTF16.self)
        default:
            guard let bytes = try reader.units(number, as: SQL_C_CHAR, UInt8.self) else { return nil }
            text = options.encoding.decode(bytes)
        }
        // Invalid characters are not replaced, because the value may be a key or a hash.
        guard let text else { throw .undecodable }
        return text
    }
}
