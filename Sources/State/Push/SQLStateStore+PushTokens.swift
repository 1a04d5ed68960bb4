public import Foundation
public import Gatefold

extension SQLStateStore {
    public func register(_ token: PushToken, at timestamp: Date) async throws {
        let (seconds, limit) = (timestamp.timeIntervalSince1970, newPushTokensPerHour)
        // Apps send their token at every launch, so known tokens do not wait for each other.
        let isKnown = try await database.write(.statements) { db in
            try Self.renew(db, Self.key(token), at: seconds)
        }
        if isKnown { return }
        // New tokens are counted one after another.
        try await database.write(.locked(StateLock("push tokens", Data(token.app.utf8)))) { db in
            let key = try Self.key(token)
            if try Self.renew(db, key, at: seconds) { return }
            let present = try db.count(
                """
                SELECT count(*) FROM (
                    SELECT 1 FROM push_token WHERE app = ? AND first > ? LIMIT ?) AS counted
                """, [token.app, seconds - 3600, limit])
            guard present < limit else { throw PushTokenLimitReached() }
            try db.execute(
                "INSERT INTO push_token (app, environment, token, first, registered) VALUES (?, ?, ?, ?, ?)",
                key + [seconds, seconds])
        }
    }

    public func pushTokens(
        of app: String, in environment: PushEnvironment, after: Int64, limit: Int
    ) async throws -> [RegisteredPushToken] {
        try await database.read { db in
            try db.rows(
                """
                SELECT sequence, token, registered FROM push_token
                WHERE app = ? AND environment = ? AND sequence > ? ORDER BY sequence LIMIT ?
                """, [app, environment.rawValue, after, max(0, limit)]
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
        try await database.read { db in
            try db.count(
                "SELECT count(*) FROM push_token WHERE app = ? AND environment = ? AND sequence > ?",
                [app, environment.rawValue, after])
        }
    }

    public func remove(_ token: PushToken, unlessRegisteredAfter timestamp: Date) async throws {
        try await database.write(.statements) { db in
            try db.execute(
                "DELETE FROM push_token WHERE app = ? AND environment = ? AND token = ? AND registered <= ?",
                try Self.key(token) + [timestamp.timeIntervalSince1970])
        }
    }

    /// Returns whether the token is known, and records that it was registered.
    private static func renew(_ db: any StateTransaction, _ key: StateArguments, at seconds: TimeInterval) throws
        -> Bool
    {
        try db.execute(
            """
            UPDATE push_token SET registered = CASE WHEN registered < ? THEN ? ELSE registered END
            WHERE app = ? AND environment = ? AND token = ?
            """, [seconds, seconds] + key) > 0
    }

    private static let tokens = "push_token"

    private static func key(_ token: PushToken) throws -> StateArguments {
        [try StateText.storable(token.app, tokens), token.environment.rawValue, Data(token.bytes)]
    }
}
