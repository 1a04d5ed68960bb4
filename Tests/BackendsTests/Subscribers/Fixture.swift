import Foundation
import GRDB
import Gatefold
import State
import Synchronization
import TestSupport

@testable import Backends
@testable import PasswordHashing

/// A subscriber database of its own, with a clock, a hash counter and a statement log.
///
/// It is in a file, or in the store that the trait `subscriberStores` selects.
final class Fixture: Sendable {
    let folder: String
    let place: TestedSubscriberStore.Place
    let clock = ManualClock()
    let counter = HashCounter()
    let hasher: PasswordHasher
    let database: SubscriberDatabase

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("gatefold-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
        hasher = try testHasher(counter: counter)
        let log = Log()
        self.log = log
        place = try TestedSubscriberStore.current.place(in: folder)
        switch place {
        case .file(let path):
            database = try SubscriberDatabase(path: path, clock: clock.wall) { db in
                db.trace { event in
                    if case .statement(let statement) = event { log.add(statement.sql) }
                }
            }
        case .server(let kind): database = try kind.openDatabase(clock: clock.wall)
        }
    }

    /// A Boolean value that indicates whether the database is a file, whose statements are logged.
    var isFile: Bool { if case .file = place { true } else { false } }

    /// Opens the database again, as another process would.
    func again() throws -> SubscriberDatabase {
        switch place {
        case .file(let path): try SubscriberDatabase(path: path, clock: clock.wall)
        case .server(let kind): try kind.openDatabase(clock: clock.wall)
        }
    }

    /// Runs a statement in a transaction of its own.
    func execute(_ sql: String) async throws { _ = try await database.store.write { try $0.execute(sql) } }

    /// Returns the result of a query for a number.
    func number(_ sql: String) async throws -> Int64? { try await database.store.read { try $0.integer(sql) } }

    /// Runs a statement that violates the constraints of the tables.
    func damage(_ sql: String) async throws {
        if isFile {
            return try otherConnection { db in
                try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
                try db.execute(sql: sql)
            }
        }
        try await database.store.write { db in
            for constraint in ["state", "all_editions"] {
                try db.execute("ALTER TABLE subscriber DROP CONSTRAINT IF EXISTS subscriber_\(constraint)_check")
            }
            try db.execute(sql)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A log of the database's statements, with placeholders for bound values.
    final class Log: Sendable {
        private let statements = Mutex<[String]>([])
        func add(_ sql: String) { statements.withLock { $0.append(sql) } }
        func take() -> [String] {
            statements.withLock { statements in
                defer { statements = [] }
                return statements
            }
        }
    }

    let log: Log

    func backend(
        proof: SubscriberDatabaseBackend.Proof? = SubscriberDatabaseBackend.Proof(field: "password"),
        isSelfService: Bool = false
    ) -> SubscriberDatabaseBackend {
        SubscriberDatabaseBackend(
            name: "embedded", database: database, proof: proof, isSelfService: isSelfService,
            verifier: PasswordVerifier(hasher: hasher, concurrency: 2), clock: clock.wall)
    }

    func file(_ text: String) throws -> String {
        let path = folder + "/\(UUID().uuidString).csv"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @discardableResult
    func load(_ text: String, _ options: SubscriberImport.Options = SubscriberImport.Options()) async throws
        -> ImportReport
    {
        try await SubscriberImport(into: database, hasher: hasher, options: options).run(file: try file(text))
    }

    func exported() async throws -> String {
        let bytes = Mutex<[UInt8]>([])
        try await database.export { chunk in bytes.withLock { $0 += chunk } }
        return String(decoding: bytes.withLock { $0 }, as: UTF8.self)
    }

    /// Runs the body with another connection to the file, as another process would have it.
    func otherConnection(_ body: (Database) throws -> Void) throws {
        try otherConnection().writeWithoutTransaction(body)
    }

    func otherConnection() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        return try DatabaseQueue(path: folder + "/subscribers.sqlite", configuration: configuration)
    }
}

func credentials(_ identifier: String, _ password: String?) -> Credentials {
    var fields = ["email": identifier]
    fields["password"] = password
    return Credentials(identifier: CredentialFields.fold(identifier), fields: fields)
}
