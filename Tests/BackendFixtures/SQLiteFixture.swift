import Backends
import Foundation
import GRDB
public import Gatefold
import PasswordHashing
import TestSupport

/// The embedded subscriber database.
public struct SQLiteFixture: BackendFixture {
    public static let name = "sqlite"
    public static let hasStoredHashes = true
    /// The database runs in the process, so it cannot stop, and a missing table is its worst failure.
    public static let outages: [Outage] = [.error]

    private let path: String
    private let hasher: PasswordHasher
    private let database: SubscriberDatabase

    public static func run(_ body: (SQLiteFixture) async throws -> Void) async throws {
        try await run(StandardReaders.all, body)
    }

    static func run(_ readers: [StandardReader], _ body: (SQLiteFixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "subscribers.sqlite").path
            let database = try SubscriberDatabase(path: path)
            let fixture = SQLiteFixture(path: path, hasher: try PasswordHasher(cost: 1), database: database)
            let file = folder.appending(path: "readers.csv").path
            try Data(StandardReaders.table(of: readers).utf8).write(to: URL(fileURLWithPath: file))
            _ = try await SubscriberImport(into: database, hasher: fixture.hasher).run(file: file)
            try await body(fixture)
        }
    }

    public var isRemote: Bool { false }

    public var settings: String {
        """
        kind: sqlite
        path: \(path)
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        guard let state = SubscriberRecord.State(rawValue: state.rawValue) else { return }
        try await database.setState(state, of: reader.email)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await database.setPassword(hash: try hasher.hash(password), of: reader.email)
    }

    public func fail(_ outage: Outage) async throws {
        try await rename("subscriber", to: "gone")
    }

    public func recover() async throws {
        try await rename("gone", to: "subscriber")
    }

    private func rename(_ table: String, to other: String) async throws {
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA legacy_alter_table = ON; ALTER TABLE \(table) RENAME TO \(other)")
        }
    }
}

extension StandardReaders {
    /// All readers as a file that `gatefold subscribers import` reads.
    static let table = table(of: all)

    static func table(of readers: [StandardReader]) -> String {
        var rows = ["identifier,password,state,editions,all_editions"]
        for reader in readers {
            let editions = reader.editions?.joined(separator: ";") ?? ""
            let password = reader.password.replacing("\"", with: "\"\"")
            let all = reader.editions == nil ? "true" : "false"
            rows.append("\(reader.email),\"\(password)\",\(reader.state.rawValue),\(editions),\(all)")
        }
        return rows.joined(separator: "\n") + "\n"
    }
}
