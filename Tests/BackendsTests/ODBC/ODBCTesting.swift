import BackendFixtures
import Gatefold
import Primitives
import Settings
import Testing

@testable import Backends
@testable import ODBC
@testable import PasswordHashing
@testable import Resilience
@testable import SQLAccess

/// Helpers of the ODBC tests.
enum ODBCTesting {
    /// Returns the database of a fixture's settings.
    ///
    /// - Parameter changes: texts of the settings, each with its replacement.
    static func database(
        _ fixture: some BackendFixture, _ changes: [(String, String)] = []
    ) throws -> ODBCDatabase {
        ODBCDatabase(try ODBCLibrary.load(), try connectionSettings(fixture, changes))
    }

    static func connection(
        _ fixture: some BackendFixture, _ changes: [(String, String)] = [], chunk: Int
    ) throws -> ODBCConnection {
        let settings = try connectionSettings(fixture, changes)
        var options = settings.options
        options.limits.chunk = chunk
        return try ODBCConnection(try ODBCLibrary.load(), to: settings.string, options)
    }

    static func backend(
        _ fixture: some BackendFixture, _ changes: [(String, String)] = [],
        observe: @escaping @Sendable (BackendEvent) -> Void = { _ in }
    ) throws -> any SubscriberBackend {
        try BackendRegistry.read(name: "legacy", settings: try section(fixture, changes)).open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))), observe: observe))
    }

    private static func connectionSettings(
        _ fixture: some BackendFixture, _ changes: [(String, String)]
    ) throws -> ODBCConnectionSettings {
        try ODBCConnectionSettings(try section(fixture, changes))
    }

    private static func section(_ fixture: some BackendFixture, _ changes: [(String, String)]) throws -> SettingsSection
    {
        var text = fixture.settings
        for (old, new) in changes {
            try #require(text.contains(old), "the fixture's settings have no \(old)")
            text = text.replacing(old, with: new)
        }
        return try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/nowhere", environment: fixture.environment)
    }
}

extension ODBCDatabase {
    func query(_ sql: String, _ values: [String: String] = [:]) async throws -> [[String?]] {
        try await rows(try SQLStatement(sql, dialect: .odbc), values).rows
    }

    /// Returns the error of a query that fails.
    func failure(_ sql: String, _ values: [String: String] = [:]) async -> ODBCFailure? {
        do {
            _ = try await query(sql, values)
            return nil
        } catch {
            return error as? ODBCFailure
        }
    }
}
