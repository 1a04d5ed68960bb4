import CLibPQ
public import SharedLibraries

/// The functions of libpq, loaded once.
public struct LibPQ: Sendable {
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>?
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let connectStartParams: @Sendable @convention(c) (Texts, Texts, CInt) -> OpaquePointer?
    let connectPoll: @Sendable @convention(c) (OpaquePointer?) -> PostgresPollingStatusType
    let finish: @Sendable @convention(c) (OpaquePointer?) -> Void
    let status: @Sendable @convention(c) (OpaquePointer?) -> ConnStatusType
    let transactionStatus: @Sendable @convention(c) (OpaquePointer?) -> PGTransactionStatusType
    let errorMessage: @Sendable @convention(c) (OpaquePointer?) -> UnsafeMutablePointer<CChar>?
    let socket: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let setNonBlocking: @Sendable @convention(c) (OpaquePointer?, CInt) -> CInt
    let setErrorVerbosity: @Sendable @convention(c) (OpaquePointer?, PGVerbosity) -> PGVerbosity
    let setNoticeReceiver:
        @Sendable @convention(c) (OpaquePointer?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
    let sendQueryParams:
        @Sendable @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, CInt, UnsafePointer<Oid>?, Texts, UnsafePointer<CInt>?,
            UnsafePointer<CInt>?, CInt
        ) -> CInt
    let sendQuery: @Sendable @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> CInt
    let setSingleRowMode: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let flush: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let consumeInput: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let isBusy: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let getResult: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let resultStatus: @Sendable @convention(c) (OpaquePointer?) -> ExecStatusType
    let resultErrorField: @Sendable @convention(c) (OpaquePointer?, CInt) -> UnsafeMutablePointer<CChar>?
    let columns: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let rows: @Sendable @convention(c) (OpaquePointer?) -> CInt
    let columnName: @Sendable @convention(c) (OpaquePointer?, CInt) -> UnsafeMutablePointer<CChar>?
    let columnType: @Sendable @convention(c) (OpaquePointer?, CInt) -> Oid
    let isNull: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
    let length: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> CInt
    let value: @Sendable @convention(c) (OpaquePointer?, CInt, CInt) -> UnsafeMutablePointer<CChar>?
    let changedRows: @Sendable @convention(c) (OpaquePointer?) -> UnsafeMutablePointer<CChar>?
    let clear: @Sendable @convention(c) (OpaquePointer?) -> Void
    let getCancel: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let cancel: @Sendable @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, CInt) -> CInt
    let freeCancel: @Sendable @convention(c) (OpaquePointer?) -> Void

    /// - Throws: `SharedLibraryError` where libpq is not installed, or is older than PostgreSQL 12.
    public init() throws(SharedLibraryError) {
        LibPQEnvironment.ignore
        let library = try SharedLibrary("libpq.so.5", package: "libpq5")
        connectStartParams = try library.function("PQconnectStartParams")
        connectPoll = try library.function("PQconnectPoll")
        finish = try library.function("PQfinish")
        status = try library.function("PQstatus")
        transactionStatus = try library.function("PQtransactionStatus")
        errorMessage = try library.function("PQerrorMessage")
        socket = try library.function("PQsocket")
        setNonBlocking = try library.function("PQsetnonblocking")
        setErrorVerbosity = try library.function("PQsetErrorVerbosity")
        setNoticeReceiver = try library.function("PQsetNoticeReceiver")
        sendQueryParams = try library.function("PQsendQueryParams")
        sendQuery = try library.function("PQsendQuery")
        setSingleRowMode = try library.function("PQsetSingleRowMode")
        flush = try library.function("PQflush")
        consumeInput = try library.function("PQconsumeInput")
        isBusy = try library.function("PQisBusy")
        getResult = try library.function("PQgetResult")
        resultStatus = try library.function("PQresultStatus")
        resultErrorField = try library.function("PQresultErrorField")
        columns = try library.function("PQnfields")
        rows = try library.function("PQntuples")
        columnName = try library.function("PQfname")
        columnType = try library.function("PQftype")
        isNull = try library.function("PQgetisnull")
        length = try library.function("PQgetlength")
        value = try library.function("PQgetvalue")
        changedRows = try library.function("PQcmdTuples")
        clear = try library.function("PQclear")
        getCancel = try library.function("PQgetCancel")
        cancel = try library.function("PQcancel")
        freeCancel = try library.function("PQfreeCancel")
    }
}
