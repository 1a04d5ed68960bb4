import Testing

@testable import Backends
@testable import ODBC
@testable import SQLAccess

@Suite("ODBC error classification") struct ODBCErrorTests {
    private func failed(_ state: String, _ native: Int32 = 1, _ step: ODBCError.Step = .execute) -> ODBCError {
        .failed(step, sqlState: state, native: native)
    }

    @Test("A statement error keeps the connection; any other error ends it")
    func connections() {
        for state in ["42S02", "42000", "22018", "23000"] { #expect(!failed(state).endsConnection) }
        for state in ["08S01", "HY000", "HYT00", "57014", "40001", "XX000", ""] {
            #expect(failed(state).endsConnection, "\(state)")
        }
        for error in [ODBCError.timedOut(.execute), .interrupted, .undecodable, .tooManyRows] {
            #expect(error.endsConnection)
        }
    }

    @Test("A query is retried after a connection loss, and not after a timeout")
    func losses() {
        for state in ["08S01", "HY000", "08003", "XX000"] { #expect(failed(state).isConnectionLoss) }
        for state in ["HYT00", "HYT01", "57014", "42S02", "22018"] { #expect(!failed(state).isConnectionLoss) }
        #expect(!ODBCError.timedOut(.prepare).isConnectionLoss && !ODBCError.interrupted.isConnectionLoss)
    }

    @Test("Only an error about a bound value can be the reader's")
    func values() {
        for state in ["22P02", "22018", "22003", "22P05", "22001", "22025", "2201B"] {
            #expect(failed(state).mayBeValueError)
        }
        #expect(failed("HY000", 1267).mayBeValueError && ODBCError.unencodable.mayBeValueError)
        for error in [
            failed("22018", 1, .fetch), failed("22012"), failed("HY000"), failed("08S01"), failed("42S02"),
            failed("22018", 1, .connect), .undecodable, .timedOut(.execute),
        ] {
            #expect(!error.mayBeValueError, "\(error)")
        }
    }

    @Test("Data errors are request scoped; all other errors may concern the database")
    func queries() {
        for error in [failed("22012"), failed("22018", 1, .fetch), .undecodable, .valueTooLong, .unencodable] {
            #expect(ODBCFailure(error: error, isValueError: false).isRequestScoped, "\(error)")
        }
        for error in [
            failed("08S01"), failed("42S02"), failed("HY000"), failed("22018", 1, .connect), .timedOut(.execute),
            .interrupted,
        ] {
            #expect(!ODBCFailure(error: error, isValueError: false).isRequestScoped, "\(error)")
        }
    }

    @Test("The log contains codes and fixed texts, and no text of a server")
    func words() {
        #expect(
            ODBCFailure(error: failed("28000", 1045, .connect), isValueError: false).cause
                == "connect failed with SQLSTATE 28000, native code 1045: the user or password was not accepted")
        #expect(failed("HY000", 1267).description == "execute failed with SQLSTATE HY000, native code 1267")
    }
}
