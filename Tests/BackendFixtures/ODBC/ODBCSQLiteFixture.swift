public import Foundation
import GRDB
public import Gatefold
import PasswordHashing
import TestSupport

/// A publisher's own tables in a file of SQLite, queried through the SQLite ODBC driver.
public struct ODBCSQLiteFixture: BackendFixture {
    public static let name = "odbc over SQLite"
    public static let hasStoredHashes = true
    /// The database runs in the process, so a missing table is its worst failure.
    public static let outages: [Outage] = [.error]

    public let file: URL
    private let queue: DatabaseQueue
    private let hasher: PasswordHasher

    public static func run(_ body: (ODBCSQLiteFixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "readers.sqlite")
            // The server's queries hold locks on the file, so a change waits until they end.
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            let queue = try DatabaseQueue(path: file.path, configuration: configuration)
            let fixture = ODBCSQLiteFixture(file: file, queue: queue, hasher: try PasswordHasher(cost: 1))
            try await fixture.fill()
            try await body(fixture)
        }
    }

    private func fill() async throws {
        try await queue.write { [hasher] db in
            try db.execute(
                sql: """
                    CREATE TABLE reader (
                        id INTEGER PRIMARY KEY, email varchar(200) NOT NULL UNIQUE, password_hash varchar(200),
                        state varchar(20), everything integer NOT NULL);
                    CREATE TABLE holding (reader integer NOT NULL, edition varchar(200) NOT NULL);
                    """)
            for reader in StandardReaders.all {
                try db.execute(
                    sql: "INSERT INTO reader (email, password_hash, state, everything) VALUES (?, ?, ?, ?)",
                    arguments: [
                        reader.email, try hasher.hash(reader.password), reader.state.rawValue, reader.editions == nil,
                    ])
                for edition in reader.editions ?? [] {
                    try db.execute(
                        sql: "INSERT INTO holding SELECT max(id), ? FROM reader", arguments: [edition])
                }
            }
        }
    }

    public var settings: String {
        ODBCFixtureSettings.text([
            "driver: SQLite3",
            "attributes: {Database: \(file.path), NoCreat: 1}",
        ])
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await update("state", state.rawValue, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await update("password_hash", try hasher.hash(password), of: reader)
    }

    private func update(_ column: String, _ value: String, of reader: StandardReader) async throws {
        try await queue.write { db in
            try db.execute(
                sql: "UPDATE reader SET \(column) = ? WHERE email = ?", arguments: [value, reader.email])
        }
    }

    public func fail(_ outage: Outage) async throws {
        try await queue.write { try $0.execute(sql: "ALTER TABLE reader RENAME TO gone") }
    }

    public func recover() async throws {
        try await queue.write { try $0.execute(sql: "ALTER TABLE gone RENAME TO reader") }
    }
}
