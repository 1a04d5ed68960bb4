public import Foundation
import GRDB
public import Gatefold

extension SQLiteStateStore {
    public func register(_ token: PushToken, at moment: Date) async throws {
        try await pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO push_token (app, environment, token, registered) VALUES (?, ?, ?, ?)
                    ON CONFLICT (app, environment, token) DO UPDATE SET registered =
                        CASE WHEN excluded.registered > push_token.registered
                            THEN excluded.registered ELSE push_token.registered END
                    """,
                arguments: try Self.key(token) + [moment.timeIntervalSince1970])
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

    public func forget(_ token: PushToken, unlessRegisteredAfter moment: Date) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM push_token WHERE app = ? AND environment = ? AND token = ? AND registered <= ?",
                arguments: try Self.key(token) + [moment.timeIntervalSince1970])
        }
    }

    private static let tokens = "push_token"

    private static func key(_ token: PushToken) throws -> StatementArguments {
        [try StateText.storable(token.app, tokens), token.environment.rawValue, Data(token.bytes)]
    }
}
