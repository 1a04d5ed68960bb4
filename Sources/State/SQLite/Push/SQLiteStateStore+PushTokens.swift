public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func register(_ token: PushToken, at timestamp: Date) async throws {
        let (seconds, limit) = (timestamp.timeIntervalSince1970, newPushTokensPerHour)
        try await pool.write { db in
            let key = try Self.key(token)
            try db.execute(
                sql: """
                    UPDATE push_token SET registered = CASE WHEN registered < ? THEN ? ELSE registered END
                    WHERE app = ? AND environment = ? AND token = ?
                    """,
                arguments: [seconds, seconds] + key)
            if db.changesCount > 0 { return }
            let present = try Int.fetchOne(
                try db.cachedStatement(
                    sql: """
                        SELECT count(*) FROM (
                            SELECT 1 FROM push_token WHERE app = ? AND first > ? LIMIT ?) AS some
                        """),
                arguments: [token.app, seconds - 3600, limit])
            guard let present, present < limit else { throw PushTokenLimitReached() }
            try db.execute(
                sql: "INSERT INTO push_token (app, environment, token, first, registered) VALUES (?, ?, ?, ?, ?)",
                arguments: key + [seconds, seconds])
        }
    }

    public func pushTokens(
        of app: String, in environment: PushEnvironment, after: Int64, limit: Int
    ) async throws -> [RegisteredPushToken] {
        try await pool.read { db in
            try Row.fetchAll(
                try db.cachedStatement(
                    sql: """
                        SELECT sequence, token, registered FROM push_token
                        WHERE app = ? AND environment = ? AND sequence > ? ORDER BY sequence LIMIT ?
                        """),
                arguments: [app, environment.rawValue, after, max(0, limit)]
            ).map { row in
                RegisteredPushToken(
                    sequence: try StateRow.integer(row, 0, Self.tokens),
                    token: PushToken(
                        app: app, bytes: Array(try StateRow.bytes(row, 1, Self.tokens)), environment: environment),
                    registered: try StateRow.date(row, 2, Self.tokens))
            }
        }
    }

    public func countPushTokens(of app: String, in environment: PushEnvironment, after: Int64) async throws -> Int {
        try await pool.read { db in
            try Int.fetchOne(
                db, sql: "SELECT count(*) FROM push_token WHERE app = ? AND environment = ? AND sequence > ?",
                arguments: [app, environment.rawValue, after]) ?? 0
        }
    }

    public func remove(_ token: PushToken, unlessRegisteredAfter timestamp: Date) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM push_token WHERE app = ? AND environment = ? AND token = ? AND registered <= ?",
                arguments: try Self.key(token) + [timestamp.timeIntervalSince1970])
        }
    }

    private static let tokens = "push_token"

    private static func key(_ token: PushToken) throws -> StatementArguments {
        [try StateText.storable(token.app, tokens), token.environment.rawValue, Data(token.bytes)]
    }
}
