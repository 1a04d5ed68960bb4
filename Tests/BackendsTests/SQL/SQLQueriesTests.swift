import Settings
import Testing

@testable import Backends
@testable import SQLAccess

@Suite("SQL statements in a backend's settings") struct SQLQueriesTests {
    private func queries(_ yaml: String, dialect: SQLDialect = .postgreSQL) throws(SettingsError) -> SQLQueries {
        try SQLQueries(
            try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/nowhere"), dialect: dialect,
            isReadOnly: true)
    }

    private func error(_ yaml: String) -> String {
        do throws(SettingsError) {
            _ = try queries(yaml)
            return "no error"
        } catch {
            return error.description
        }
    }

    private let subscription = #"subscription: "SELECT 1 WHERE id = :key""#

    @Test("A proof is checked if a statement binds it or a `proof` section compares it")
    func proofs() throws {
        let bound = try queries(
            """
            queries:
              authenticate: "SELECT id AS key FROM r WHERE n = :identifier AND s = :surname AND p = :postcode"
              \(subscription)
            """)
        #expect(bound.checkedProofs == ["surname", "postcode"])
        let compared = try queries(
            """
            queries:
              authenticate: "SELECT id AS key, hash AS password FROM r WHERE n = :identifier"
              \(subscription)
            proof: {field: pin}
            """)
        #expect(compared.checkedProofs == ["pin"])
        let both = try queries(
            """
            queries:
              authenticate: "SELECT id AS key, hash AS password FROM r WHERE n = :raw_identifier AND s = :surname"
              \(subscription)
            proof: {}
            """)
        #expect(both.checkedProofs == ["surname", "password"])
        let forgotten = try queries(
            """
            queries:
              authenticate: "SELECT id AS key FROM r WHERE n = :identifier"
              \(subscription)
            """)
        #expect(forgotten.checkedProofs == [], "a publication that requires a password does not start")
    }

    @Test("Request fields are not proofs, even with the name of a proof")
    func requestFields() throws {
        let read = try queries(
            """
            request_fields: [title, password]
            queries:
              authenticate: "SELECT id AS key FROM r WHERE n = :identifier AND t = :title AND p = :password"
              subscription: "SELECT 1 WHERE id = :key AND t = :title"
            """)
        #expect(read.checkedProofs == [])
        #expect(read.requestFields == ["title", "password"])
    }

    @Test("The health statement defaults to SELECT 1")
    func health() throws {
        let standard = try queries("queries: {authenticate: 'SELECT :identifier', subscription: 'SELECT :key'}")
        #expect(standard.health.text == "SELECT 1")
        let oracle = try queries(
            "queries: {authenticate: 'SELECT :identifier', subscription: 'SELECT :key', health: 'SELECT 1 FROM DUAL'}",
            dialect: .odbc)
        #expect(oracle.health.bound.sql == "SELECT 1 FROM DUAL")
    }

    @Test(
        "A mistake is reported with its line and key",
        arguments: [
            ("a: 1", "gatefold.yaml:1: queries: missing; expected `authenticate` and `subscription`"),
            (
                "queries: {subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.authenticate: missing; expected a statement"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier'}",
                "gatefold.yaml:1: queries.subscription: missing; expected a statement"
            ),
            (
                "queries:\n  authenticate: SELECT 1\n  subscription: 'SELECT :key'",
                "gatefold.yaml:2: queries.authenticate: expected the parameter :identifier or :raw_identifier"
            ),
            (
                "queries:\n  authenticate: 'SELECT :identifier'\n  subscription: 'SELECT :kay'",
                "gatefold.yaml:3: queries.subscription: unknown parameter :kay; expected :key"
            ),
            (
                "queries:\n  authenticate: 'SELECT :identifier'\n  subscription: 'SELECT 1'",
                "gatefold.yaml:3: queries.subscription: expected the parameter :key"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier', subscription: 'SELECT :key', verdict: 'SELECT :key'}",
                "gatefold.yaml:1: queries.verdict: expected the parameter :edition"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier, :key', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.authenticate: unknown parameter :key; no subscriber is known yet"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier; DROP TABLE r', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.authenticate: expected one statement, with a semicolon at its end at most"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier', subscription: 'SELECT :key', health: 'SELECT :a'}",
                "gatefold.yaml:1: queries.health: unknown parameter :a; expected none"
            ),
            (
                "queries: {authenticate: 'SELECT :identifier, :password', subscription: 'SELECT :key'}\nproof: {}",
                "gatefold.yaml:2: proof: `password` is bound in `queries.authenticate`; expected one of the two"
            ),
            (
                "request_fields: [key]\nqueries: {authenticate: 'SELECT :identifier', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: request_fields: `key` is a built-in parameter"
            ),
        ])
    func mistakes(yaml: String, message: String) {
        #expect(error(yaml) == message)
    }
}
