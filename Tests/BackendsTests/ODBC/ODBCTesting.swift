import BackendBenches
import Gatefold
import Settings
import Testing

@testable import Backends
@testable import ODBC

/// What tests of ODBC have in common.
enum ODBCTesting {
    /// The database that a bench's settings lead to.
    ///
    /// - Parameter changes: texts of the settings, each with what takes its place.
    static func database(
        _ bench: some BackendBench, _ changes: [(String, String)] = []
    ) throws -> ODBCDatabase {
        ODBCDatabase(try ODBCLibrary.load(), try connectionSettings(bench, changes))
    }

    static func connection(
        _ bench: some BackendBench, _ changes: [(String, String)] = [], chunk: Int
    ) throws -> ODBCConnection {
        let settings = try connectionSettings(bench, changes)
        var options = settings.options
        options.limits.chunk = chunk
        return try ODBCConnection(try ODBCLibrary.load(), to: settings.string, options)
    }

    static func backend(
        _ bench: some BackendBench, _ changes: [(String, String)] = [],
        observe: @escaping @Sendable (BackendEvent) -> Void = { _ in }
    ) throws -> any SubscriberBackend {
        try BackendRegistry.read(name: "legacy", settings: try section(bench, changes)).open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                references: ReferenceKey(Secret(Array("a secret for references".utf8))), observe: observe))
    }

    private static func connectionSettings(
        _ bench: some BackendBench, _ changes: [(String, String)]
    ) throws -> ODBCConnectionSettings {
        try ODBCConnectionSettings(try section(bench, changes))
    }

    private static func section(_ bench: some BackendBench, _ changes: [(String, String)]) throws -> SettingsSection {
        var text = bench.settings
        for (old, new) in changes {
            try #require(text.contains(old), "the bench's settings have no \(old)")
            text = text.replacing(old, with: new)
        }
        return try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/nowhere", environment: bench.environment)
    }
}

extension ODBCDatabase {
    func ask(_ sql: String, _ values: [String: String] = [:]) async throws -> [[String?]] {
        try await rows(try SQLStatement(sql, dialect: .odbc), values).rows
    }

    /// The error of a question that has one.
    func failure(_ sql: String, _ values: [String: String] = [:]) async -> ODBCFailure? {
        do {
            _ = try await ask(sql, values)
            return nil
        } catch {
            return error as? ODBCFailure
        }
    }
}
