public import Foundation
import GRDB
import Primitives

extension SQLiteStateStore {
    public func savePINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, limit: Int, at timestamp: Date
    ) async throws -> Bool {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM pin_code WHERE ends <= ?", arguments: [timestamp.timeIntervalSince1970])
            let others = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM pin_code WHERE account <> ?", arguments: [Data(account)])
            guard let others, others < limit else { return false }
            try db.execute(
                sql: """
                    INSERT INTO pin_code (account, code, ends, attempts) VALUES (?, ?, ?, ?)
                    ON CONFLICT (account) DO UPDATE
                    SET code = excluded.code, ends = excluded.ends, attempts = excluded.attempts
                    """,
                arguments: [Data(account), Data(code), end.timeIntervalSince1970, Int64(attempts)])
            return true
        }
    }

    public func redeemPINCode(_ code: [UInt8], of account: [UInt8], at timestamp: Date) async throws -> Bool {
        try await pool.write { db in
            // The attempt is counted before the code is compared.
            let row = try Row.fetchOne(
                db,
                sql: """
                    UPDATE pin_code SET attempts = attempts - 1 WHERE account = ? AND ends > ? AND attempts > 0
                    RETURNING code, attempts
                    """,
                arguments: [Data(account), timestamp.timeIntervalSince1970])
            guard let row else { return false }
            let stored = try StateRow.bytes(row, 0, "pin_code")
            let isCorrect = isEqualInConstantTime(code, Array(stored))
            if try isCorrect || StateRow.integer(row, 1, "pin_code") <= 0 {
                try db.execute(sql: "DELETE FROM pin_code WHERE account = ?", arguments: [Data(account)])
            }
            return isCorrect
        }
    }
}
