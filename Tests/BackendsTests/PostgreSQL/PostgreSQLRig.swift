import BackendBenches
import Foundation
import Gatefold
import PostgreSQL
import Settings
import Testing

@testable import Backends

/// A backend of the kind `postgresql` in front of a test's own server, whose tables have the standard readers' form.
struct PostgreSQLRig {
    let backend: any SubscriberBackend

    /// The statements of the bench, with `verdict` and a slow one for tests of patience.
    static let queries = """
        queries:
          recognise: "SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier"
          subscription: "SELECT state, everything FROM reader WHERE id = :key"
          editions: "SELECT edition FROM holding WHERE reader = :key"
        proof: {field: password}
        subscription:
          everything: {from: everything}
        """

    /// - Parameters:
    ///   - connection: the section's lines, without the account's.
    ///   - rest: `queries` and what follows.
    init(
        connection: String, password: String = PostgreSQLBench.password, rest: String = queries,
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
                references: ReferenceKey(Secret(Array("a secret for references".utf8)))))
    }

    init(port: Int, _ more: String = "", password: String = PostgreSQLBench.password, rest: String = queries) throws {
        try self.init(connection: "hosts: [\"127.0.0.1:\(port)\"]\n\(more)", password: password, rest: rest)
    }

    func recognise(
        _ identifier: String = StandardReaders.ada.email, _ password: String = StandardReaders.ada.password
    ) async throws -> Recognition {
        try await backend.recognise(
            Credentials(
                identifier: CredentialFields.fold(identifier), fields: ["email": identifier, "password": password]),
            inquiry: Inquiry())
    }

    func isAdaRecognised() async throws -> Bool {
        if case .recognised = try await recognise() { true } else { false }
    }

    /// The failure of a question that must fail.
    func failure() async -> PostgreSQLError? {
        do {
            _ = try await recognise()
            return nil
        } catch {
            return (error as? PostgreSQLFailure)?.error
        }
    }
}
