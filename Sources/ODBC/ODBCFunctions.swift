internal import CODBC
import SharedLibraries

/// The functions of the driver manager, loaded once. Texts are UTF-16 (`…W`), so that they do not depend on the
/// locale.
struct ODBCFunctions: Sendable {
    typealias Handle = UnsafeMutableRawPointer?
    typealias Text = UnsafeMutablePointer<SQLWCHAR>
    typealias Small = UnsafeMutablePointer<SQLSMALLINT>

    let allocHandle: @Sendable @convention(c) (SQLSMALLINT, Handle, UnsafeMutablePointer<Handle>) -> SQLRETURN
    let freeHandle: @Sendable @convention(c) (SQLSMALLINT, Handle) -> SQLRETURN
    let setEnvAttr: @Sendable @convention(c) (Handle, SQLINTEGER, UnsafeMutableRawPointer?, SQLINTEGER) -> SQLRETURN
    let setConnectAttr: @Sendable @convention(c) (Handle, SQLINTEGER, UnsafeMutableRawPointer?, SQLINTEGER) -> SQLRETURN
    let setStmtAttr: @Sendable @convention(c) (Handle, SQLINTEGER, UnsafeMutableRawPointer?, SQLINTEGER) -> SQLRETURN
    let driverConnect:
        @Sendable @convention(c) (
            Handle, UnsafeMutableRawPointer?, Text, SQLSMALLINT, Text?, SQLSMALLINT, Small?, SQLUSMALLINT
        ) -> SQLRETURN
    let disconnect: @Sendable @convention(c) (Handle) -> SQLRETURN
    let prepare: @Sendable @convention(c) (Handle, Text, SQLINTEGER) -> SQLRETURN
    let bindParameter:
        @Sendable @convention(c) (
            Handle, SQLUSMALLINT, SQLSMALLINT, SQLSMALLINT, SQLSMALLINT, SQLULEN, SQLSMALLINT,
            UnsafeMutableRawPointer?, SQLLEN, UnsafeMutablePointer<SQLLEN>?
        ) -> SQLRETURN
    let execute: @Sendable @convention(c) (Handle) -> SQLRETURN
    let numResultCols: @Sendable @convention(c) (Handle, Small) -> SQLRETURN
    let describeCol:
        @Sendable @convention(c) (
            Handle, SQLUSMALLINT, Text?, SQLSMALLINT, Small?, Small?, UnsafeMutablePointer<SQLULEN>?, Small?, Small?
        ) -> SQLRETURN
    let fetch: @Sendable @convention(c) (Handle) -> SQLRETURN
    let getData:
        @Sendable @convention(c) (
            Handle, SQLUSMALLINT, SQLSMALLINT, UnsafeMutableRawPointer?, SQLLEN, UnsafeMutablePointer<SQLLEN>?
        ) -> SQLRETURN
    let rowCount: @Sendable @convention(c) (Handle, UnsafeMutablePointer<SQLLEN>) -> SQLRETURN
    let endTran: @Sendable @convention(c) (SQLSMALLINT, Handle, SQLSMALLINT) -> SQLRETURN
    let cancel: @Sendable @convention(c) (Handle) -> SQLRETURN
    let getDiagRec:
        @Sendable @convention(c) (
            SQLSMALLINT, Handle, SQLSMALLINT, Text?, UnsafeMutablePointer<SQLINTEGER>?, Text?, SQLSMALLINT, Small?
        ) -> SQLRETURN

    init(_ library: SharedLibrary) throws(SharedLibraryError) {
        allocHandle = try library.function("SQLAllocHandle")
        freeHandle = try library.function("SQLFreeHandle")
        setEnvAttr = try library.function("SQLSetEnvAttr")
        setConnectAttr = try library.function("SQLSetConnectAttrW")
        setStmtAttr = try library.function("SQLSetStmtAttrW")
        driverConnect = try library.function("SQLDriverConnectW")
        disconnect = try library.function("SQLDisconnect")
        prepare = try library.function("SQLPrepareW")
        bindParameter = try library.function("SQLBindParameter")
        execute = try library.function("SQLExecute")
        numResultCols = try library.function("SQLNumResultCols")
        describeCol = try library.function("SQLDescribeColW")
        fetch = try library.function("SQLFetch")
        getData = try library.function("SQLGetData")
        rowCount = try library.function("SQLRowCount")
        endTran = try library.function("SQLEndTran")
        cancel = try library.function("SQLCancel")
        getDiagRec = try library.function("SQLGetDiagRecW")
    }
}

extension SQLRETURN {
    /// A Boolean value that indicates success, with or without further information.
    var isSuccess: Bool { self == SQLRETURN(SQL_SUCCESS) || self == SQLRETURN(SQL_SUCCESS_WITH_INFO) }
}
