internal import CODBC
import Synchronization

/// A handle of the driver manager, freed with its last reference, and before its parent.
final class ODBCHandle: Sendable {
    enum Kind: SQLSMALLINT {
        case environment = 1
        case connection = 2
        case statement = 3
    }

    /// The pointer that ODBC's functions take, which are safe to call on several threads with one handle.
    ///
    /// Source: ODBC Programmer's Reference, "Multithreading".
    var pointer: ODBCFunctions.Handle { UnsafeMutableRawPointer(bitPattern: address) }
    /// The pointer as a number, which threads may share.
    private let address: UInt
    /// True when the handle is connected to a server and must be disconnected before it is freed.
    let isConnected = Atomic(false)
    private let kind: Kind
    private let parent: ODBCHandle?
    private let functions: ODBCFunctions

    init(
        _ kind: Kind, of parent: ODBCHandle?, _ functions: ODBCFunctions, for step: ODBCError.Step
    ) throws(ODBCError) {
        var pointer: UnsafeMutableRawPointer?
        guard functions.allocHandle(kind.rawValue, parent?.pointer, &pointer).isSuccess, let pointer else {
            throw parent?.error(step) ?? .failed(step, sqlState: "HY001", native: 0)
        }
        address = UInt(bitPattern: pointer)
        self.kind = kind
        self.parent = parent
        self.functions = functions
    }

    deinit {
        if isConnected.load(ordering: .acquiring) { _ = functions.disconnect(pointer) }
        _ = functions.freeHandle(kind.rawValue, pointer)
    }

    /// Returns the error of the last call on this handle. It contains only codes, because the texts may quote a
    /// reader's input.
    func error(_ step: ODBCError.Step) -> ODBCError {
        var found: (state: String, native: SQLINTEGER)?
        // Drivers may report any number of warnings before the error.
        for record in 1...16 {
            var state = [SQLWCHAR](repeating: 0, count: 6)
            var text = [SQLWCHAR](repeating: 0, count: 512)
            var native: SQLINTEGER = 0
            var length: SQLSMALLINT = 0
            let result = functions.getDiagRec(
                kind.rawValue, pointer, SQLSMALLINT(record), &state, &native, &text, SQLSMALLINT(text.count), &length)
            guard result.isSuccess else { break }
            let name = String(decoding: state.prefix { $0 != 0 }, as: UTF16.self)
            let isWarning = name.hasPrefix("01") || name.hasPrefix("00")
            if found == nil || !isWarning { found = (name, native) }
            if !isWarning { break }
        }
        return .failed(step, sqlState: found?.state ?? "HY000", native: found?.native ?? 0)
    }
}
