import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import Settings
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import SQLAccess

/// A backend of the kind `postgresql` for a test's own server, with the tables of the standard readers.
struct PostgreSQLHarness {
    let backend: any SubscriberBackend

    /// The statements of the fixture, as defaults that tests modify.
    static let queries = """
        queries:
          authenticate: "SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier"
          subscription: "SELECT state, everything FROM reader WHERE id = :key"
          editions: "SELECT edition FROM holding WHERE reader = :key"
        proof: {field: password}
        subscription:
          all_editions: {from: everything}
        """

    /// - Parameters:
    ///   - connection: the lines of the section, without those of the account.
    ///   - rest: `queries` and the sections after it.
    init(
        connection: String, password: String = PostgreSQLFixture.password, rest: String = queries,
        database: String = "readers"
    ) throws {
        let lines = (connection + "\ndatabase: \(database)\nuser: gatefold\npassword: {env: PASSWORD}")
            .split(separator: "\n").map { "  \($0)\n" }.joined()
        let settings = try YAMLSettings.read(
            text: "kind: postgresql\nconnection:\n\(lines)\(rest)\n", name: "gatefold.yaml", folder: "/nowhere",
            environment: ["PASSWORD": password])
        let kind = try BackendRegistry.read(name: "legacy", settings: settings)
        try settings.finish()
        backend = try kind.open(
            BackendServices(
                clock: .system, random: .system,
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
                pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))))
    }

    init(port: Int, _ more: String = "", password: String = PostgreSQLFixture.password, rest: String = queries) throws {
        try self.init(connection: "hosts: [\"127.0.0.1:\(port)\"]\n\(more)", password: password, rest: rest)
    }

    func authenticate(
        _ identifier: String = StandardReaders.ada.email, _ password: String = StandardReaders.ada.password
    ) async throws -> AuthenticationResult {
        try await backend.authenticate(
            Credentials(
                identifier: CredentialFields.fold(identifier), fields: ["email": identifier, "password": password]),
            context: CallContext()
        ).value
    }

    func isAdaAuthenticated() async throws -> Bool {
        if case .authenticated = try await authenticate() { true } else { false }
    }

    /// Returns the failure of a query that must fail.
    func failure() async -> PostgreSQLError? {
        do {
            _ = try await authenticate()
            return nil
        } catch {
            return (error as? PostgreSQLFailure)?.error
        }
    }
}
