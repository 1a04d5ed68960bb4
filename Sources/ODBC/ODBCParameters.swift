internal import CODBC

/// The values of a statement's parameters, in memory that does not move until the statement has been executed.
final class ODBCParameters {
    private struct Value {
        let memory: UnsafeMutableRawBufferPointer
        /// The length in code units of the transfer encoding.
        let length: Int
        let indicator: UnsafeMutablePointer<SQLLEN>
    }

    private var values: [Value] = []
    private let isWide: Bool

    /// - Throws: ``ODBCError/unencodable``.
    init(_ texts: [String?], _ encoding: ODBCEncoding) throws(ODBCError) {
        isWide = encoding == .driver
        for text in texts {
            // Some drivers would cut a text at a NUL, so such a text is rejected below.
            guard let text else {
                append([UInt8](), isNull: true)
                continue
            }
            guard !text.utf8.contains(0) else { throw .unencodable }
            if isWide {
                append(Array(text.utf16), isNull: false)
            } else {
                guard let bytes = encoding.encode(text) else { throw .unencodable }
                append(bytes, isNull: false)
            }
        }
    }

    deinit {
        for value in values {
            value.memory.deallocate()
            value.indicator.deallocate()
        }
    }

    private func append<Unit: FixedWidthInteger>(_ units: [Unit], isNull: Bool) {
        // The buffer is never empty and has a terminator, because some drivers look for one.
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: (units.count + 1) * MemoryLayout<Unit>.stride, alignment: MemoryLayout<Unit>.alignment)
        _ = memory.initializeMemory(as: UInt8.self, repeating: 0)
        units.withUnsafeBytes { memory.copyMemory(from: $0) }
        let indicator = UnsafeMutablePointer<SQLLEN>.allocate(capacity: 1)
        indicator.initialize(
            to: isNull ? SQLLEN(SQL_NULL_DATA) : SQLLEN(units.count * MemoryLayout<Unit>.stride))
        values.append(Value(memory: memory, length: units.count, indicator: indicator))
    }

    func bind(to statement: ODBCHandle, _ functions: ODBCFunctions) throws(ODBCError) {
        for (index, value) in values.enumerated() {
            let result = functions.bindParameter(
                statement.pointer, SQLUSMALLINT(index + 1), SQLSMALLINT(SQL_PARAM_INPUT),
                SQLSMALLINT(isWide ? SQL_C_WCHAR : SQL_C_CHAR), SQLSMALLINT(isWide ? SQL_WVARCHAR : SQL_VARCHAR),
                SQLULEN(max(1, value.length)), 0, value.memory.baseAddress, SQLLEN(value.memory.count), value.indicator)
            guard result.isSuccess else { throw statement.error(.bind) }
        }
    }
}
