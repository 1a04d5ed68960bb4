public import Foundation
import Primitives

extension SQLStateStore {
    public func savePINCode(
        _ code: [UInt8], of account: [UInt8], until end: Date, attempts: Int, limit: Int, at timestamp: Date
    ) async throws -> Bool {
        try await database.write(.locked(StateLock("PIN codes"))) { db in
            try db.execute("DELETE FROM pin_code WHERE ends <= ?", [timestamp.timeIntervalSince1970])
            let others = try db.count("SELECT count(*) FROM pin_code WHERE account <> ?", [Data(account)])
            guard others < limit else { return false }
            try db.execute(
                """
                INSERT INTO pin_code (account, code, ends, attempts) VALUES (?, ?, ?, ?)
                ON CONFLICT (account) DO UPDATE
                SET code = excluded.code, ends = excluded.ends, attempts = excluded.attempts
                """, [Data(account), Data(code), end.timeIntervalSince1970, Int64(attempts)])
            return true
        }
    }

    public func redeemPINCode(_ code: [UInt8], of account: [UInt8], at timestamp: Date) async throws -> Bool {
        try await database.write(.statements) { db in
            // The attempt is counted before the code is compared.
            let row = try db.row(
                """
                UPDATE pin_code SET attempts = attempts - 1 WHERE account = ? AND ends > ? AND attempts > 0
                RETURNING code, attempts
                """, [Data(account), timestamp.timeIntervalSince1970])
            guard let row else { return false }
            let stored = try StateRow.bytes(row, 0, "pin_code")
            let isCorrect = isEqualInConstantTime(code, Array(stored))
            if try isCorrect || StateRow.integer(row, 1, "pin_code") <= 0 {
                try db.execute("DELETE FROM pin_code WHERE account = ?", [Data(account)])
            }
            return isCorrect
        }
    }
}
