internal import CODBC
import SharedLibraries

/// The driver manager, unixODBC: the drivers it is told of in `odbcinst.ini`, and any other by its path.
public final class ODBCLibrary: Sendable {
    /// The one of this process.
    private static let shared = Result { () throws in try ODBCLibrary() }

    let functions: ODBCFunctions
    /// Connections are independent of each other: the driver manager locks no more than it must where the driver's entry
    /// in `odbcinst.ini` does not ask for it (`Threading`).
    let environment: ODBCHandle

    /// - Throws: `SharedLibraryError` where unixODBC is not installed, ``ODBCError`` where it can not begin.
    public static func load() throws -> ODBCLibrary { try shared.get() }

    private init() throws {
        functions = try ODBCFunctions(SharedLibrary("libodbc.so.2", "libodbc.2.dylib", package: "libodbc2"))
        environment = try ODBCHandle(.environment, of: nil, functions, for: .connect)
        let version = UnsafeMutableRawPointer(bitPattern: UInt(SQL_OV_ODBC3))
        guard functions.setEnvAttr(environment.pointer, SQLINTEGER(SQL_ATTR_ODBC_VERSION), version, 0).isSuccess else {
            throw environment.error(.connect)
        }
    }
}
