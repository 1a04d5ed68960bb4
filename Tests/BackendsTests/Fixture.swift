import Backends
import Foundation
import GRDB
import Gatefold
import Synchronization
import TestSupport

@testable import PasswordHashing

/// A subscriber database in its own folder, with a clock, a hash counter and a statement log.
final class Fixture: Sendable {
    let folder: String
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
        database = try SubscriberDatabase(path: folder + "/subscribers.sqlite", clock: clock.wall) { db in
            db.trace { event in
                if case .statement(let statement) = event { log.add(statement.sql) }
            }
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
        proof: SQLiteSubscriberBackend.Proof? = SQLiteSubscriberBackend.Proof(field: "password"),
        isSelfService: Bool = false
    ) -> SQLiteSubscriberBackend {
        SQLiteSubscriberBackend(
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

    /// Runs the body with another connection, as another process would have it.
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
