public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore: PINCodeStore {
    public func keepPINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, most: Int, at moment: Date
    ) async throws -> Bool {
        try await pool.write { db in
            try db.execute(sql: "DELETE FROM pin_code WHERE ends <= ?", arguments: [moment.timeIntervalSince1970])
            let others = try Int.fetchOne(
                db, sql: "SELECT count(*) FROM pin_code WHERE account <> ?", arguments: [Data(account)])
            guard let others, others < most else { return false }
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

    public func redeemPINCode(_ code: [UInt8], of account: [UInt8], at moment: Date) async throws -> Bool {
        try await pool.write { db in
            // Counted before it is compared.
            let row = try Row.fetchOne(
                db,
                sql: """
                    UPDATE pin_code SET attempts = attempts - 1 WHERE account = ? AND ends > ? AND attempts > 0
                    RETURNING code, attempts
                    """,
                arguments: [Data(account), moment.timeIntervalSince1970])
            guard let row else { return false }
            let kept = try StateRow.bytes(row, 0, "pin_code")
            let isRight = isEqualInConstantTime(code, Array(kept))
            if try isRight || StateRow.integer(row, 1, "pin_code") <= 0 {
                try db.execute(sql: "DELETE FROM pin_code WHERE account = ?", arguments: [Data(account)])
            }
            return isRight
        }
    }
}
