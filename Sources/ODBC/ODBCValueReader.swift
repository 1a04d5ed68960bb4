internal import CODBC

/// Reads values in chunks, whatever the driver says or does not say of their lengths (SQLGetData).
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

    /// All units of a value; nil for NULL.
    mutating func units<Unit: FixedWidthInteger & UnsignedInteger>(
        _ column: SQLUSMALLINT, as type: Int32, _: Unit.Type
    ) throws(ODBCError) -> [Unit]? {
        let hasTerminator = type == SQL_C_CHAR || type == SQL_C_WCHAR
        var value: [Unit] = []
        while true {
            // A value no encoding has, so that what the driver wrote can be told from what it left.
            var buffer = [Unit](repeating: .max, count: limits.chunk)
            var indicator: SQLLEN = 0
            let size = SQLLEN(buffer.count * MemoryLayout<Unit>.stride)
            let result = functions.getData(handle.pointer, column, SQLSMALLINT(type), &buffer, size, &indicator)
            // There was no more than came before.
            if result == SQLRETURN(SQL_NO_DATA) { break }
            guard result.isSuccess else { throw handle.error(.fetch) }
            if indicator == SQLLEN(SQL_NULL_DATA) { return nil }
            let piece = ODBCPiece(
                buffer, indicator: Int(indicator), hasTerminator: hasTerminator,
                isWhole: result == SQLRETURN(SQL_SUCCESS))
            total += piece.units.count
            guard value.count + piece.units.count <= limits.value else { throw .valueTooLong }
            guard total <= limits.answer else { throw .answerTooLarge }
            value += piece.units
            if piece.isLast { break }
            // A driver that gives nothing, and says that there is more, would go on for ever.
            guard !piece.units.isEmpty else { throw .failed(.fetch, sqlState: "HY000", native: 0) }
        }
        return value
    }
}

/// What one call of SQLGetData brought: a pure reading of the buffer and of what the driver said of it.
struct ODBCPiece<Unit: FixedWidthInteger & UnsignedInteger> {
    let units: ArraySlice<Unit>
    let isLast: Bool

    /// - Parameters:
    ///   - buffer: filled with `Unit.max` before the call.
    ///   - indicator: in bytes, what there was before the call, or SQL_NO_TOTAL.
    ///   - isWhole: the driver said that nothing was cut off.
    init(_ buffer: [Unit], indicator: Int, hasTerminator: Bool, isWhole: Bool) {
        let room = buffer.count - (hasTerminator ? 1 : 0)
        let announced = indicator / MemoryLayout<Unit>.stride
        if indicator >= 0, isWhole || announced <= room {
            units = buffer[..<min(announced, room)]
            isLast = true
        } else {
            // A driver may write less than there is room for, so as not to cut a letter in two: what it wrote ends at its
            // terminator.
            var end = buffer.endIndex
            if hasTerminator {
                while end > 0, buffer[end - 1] == .max { end -= 1 }
                if end > 0, buffer[end - 1] == 0 { end -= 1 }
            }
            units = buffer[..<min(end, room)]
            isLast = isWhole
        }
    }
}
