internal import CODBC

/// A reader that fetches values in chunks, independent of the lengths that the driver reports (SQLGetData).
struct ODBCValueReader {
    private let handle: ODBCHandle
    private let functions: ODBCFunctions
    private let limits: ODBCLimits
    private var total = 0

    init(_ handle: ODBCHandle, _ functions: ODBCFunctions, _ limits: ODBCLimits) {
        self.handle = handle
        self.functions = functions
        self.limits = limits
    }

    /// Returns all units of a value, or nil for NULL.
    mutating func units<Unit: FixedWidthInteger & UnsignedInteger>(
        _ column: SQLUSMALLINT, as type: Int32, _: Unit.Type
    ) throws(ODBCError) -> [Unit]? {
        let hasTerminator = type == SQL_C_CHAR || type == SQL_C_WCHAR
        var value: [Unit] = []
        while true {
            // The buffer is filled with a value that no encoding uses, so that the bytes that the driver wrote can
            // be distinguished from the rest.
            var buffer = [Unit](repeating: .max, count: limits.chunk)
            var indicator: SQLLEN = 0
            let size = SQLLEN(buffer.count * MemoryLayout<Unit>.stride)
            let result = functions.getData(handle.pointer, column, SQLSMALLINT(type), &buffer, size, &indicator)
            // The previous chunk was the last.
            if result == SQLRETURN(SQL_NO_DATA) { break }
            guard result.isSuccess else { throw handle.error(.fetch) }
            if indicator == SQLLEN(SQL_NULL_DATA) { return nil }
            let chunk = ODBCChunk(
                buffer, indicator: Int(indicator), hasTerminator: hasTerminator,
                isComplete: result == SQLRETURN(SQL_SUCCESS))
            total += chunk.units.count
            guard value.count + chunk.units.count <= limits.value else { throw .valueTooLong }
            guard total <= limits.result else { throw .resultTooLarge }
            value += chunk.units
            if chunk.isLast { break }
            // A driver that returns nothing but reports more data would cause an endless loop.
            guard !chunk.units.isEmpty else { throw .failed(.fetch, sqlState: "HY000", native: 0) }
        }
        return value
    }
}

/// The result of one call of SQLGetData, computed only from the buffer and from the values that the driver
/// returned.
struct ODBCChunk<Unit: FixedWidthInteger & UnsignedInteger> {
    let units: ArraySlice<Unit>
    let isLast: Bool

    /// - Parameters:
    ///   - buffer: filled with `Unit.max` before the call.
    ///   - indicator: the remaining length before the call, in bytes, or SQL_NO_TOTAL.
    ///   - isComplete: true if the driver reported no truncation.
    init(_ buffer: [Unit], indicator: Int, hasTerminator: Bool, isComplete: Bool) {
        let room = buffer.count - (hasTerminator ? 1 : 0)
        let announced = indicator / MemoryLayout<Unit>.stride
        if indicator >= 0, isComplete || announced <= room {
            units = buffer[..<min(announced, room)]
            isLast = true
        } else {
            // A driver may write less than the buffer holds, so that it does not split a character. The data then
            // ends at the terminator.
            var end = buffer.endIndex
            if hasTerminator {
                while end > 0, buffer[end - 1] == .max { end -= 1 }
                if end > 0, buffer[end - 1] == 0 { end -= 1 }
            }
            units = buffer[..<min(end, room)]
            isLast = isComplete
        }
    }
}
