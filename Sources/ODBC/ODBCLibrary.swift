internal import CODBC
import SharedLibraries

/// The driver manager unixODBC. It loads the drivers that `odbcinst.ini` lists, and any other driver by its path.
public final class ODBCLibrary: Sendable {
    /// The instance of this process.
    private static let shared = Result { () throws in try ODBCLibrary() }

    let functions: ODBCFunctions
    /// The environment of all connections. Connections do not block each other: the driver manager locks only what
    /// it must, unless the driver's entry in `odbcinst.ini` requires more (`Threading`).
    let environment: ODBCHandle

    /// - Throws: `SharedLibraryError` where unixODBC is not installed, ``ODBCError`` where it cannot be
    ///   initialised.
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
