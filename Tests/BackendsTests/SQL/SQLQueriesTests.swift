import Settings
import Testing

@testable import Backends

@Suite("The statements in a backend's settings") struct SQLQueriesTests {
    private func queries(_ yaml: String, dialect: SQLDialect = .postgreSQL) throws(SettingsError) -> SQLQueries {
        try SQLQueries(
            try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: "/nowhere"), dialect: dialect)
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

    @Test("a proof is checked where it is bound, or where a section compares it, and nowhere else")
    func proofs() throws {
        let bound = try queries(
            """
            queries:
              recognise: "SELECT id AS key FROM r WHERE n = :identifier AND s = :surname AND p = :postcode"
              \(subscription)
            """)
        #expect(bound.checkedProofs == ["surname", "postcode"])
        let compared = try queries(
            """
            queries:
              recognise: "SELECT id AS key, hash AS password FROM r WHERE n = :identifier"
              \(subscription)
            proof: {field: pin}
            """)
        #expect(compared.checkedProofs == ["pin"])
        let both = try queries(
            """
            queries:
              recognise: "SELECT id AS key, hash AS password FROM r WHERE n = :typed_identifier AND s = :surname"
              \(subscription)
            proof: {}
            """)
        #expect(both.checkedProofs == ["surname", "password"])
        let forgotten = try queries(
            """
            queries:
              recognise: "SELECT id AS key FROM r WHERE n = :identifier"
              \(subscription)
            """)
        #expect(forgotten.checkedProofs == [], "a publication that asks for a password does not start")
    }

    @Test("fields of the request are no proofs, whatever they are called")
    func requestFields() throws {
        let read = try queries(
            """
            request_fields: [title, password]
            queries:
              recognise: "SELECT id AS key FROM r WHERE n = :identifier AND t = :title AND p = :password"
              subscription: "SELECT 1 WHERE id = :key AND t = :title"
            """)
        #expect(read.checkedProofs == [])
        #expect(read.requestFields == ["title", "password"])
    }

    @Test("health is SELECT 1 unless said")
    func health() throws {
        let standard = try queries("queries: {recognise: 'SELECT :identifier', subscription: 'SELECT :key'}")
        #expect(standard.health.text == "SELECT 1")
        let oracle = try queries(
            "queries: {recognise: 'SELECT :identifier', subscription: 'SELECT :key', health: 'SELECT 1 FROM DUAL'}",
            dialect: .odbc)
        #expect(oracle.health.bound.sql == "SELECT 1 FROM DUAL")
    }

    @Test(
        "mistakes are told with the line and the key",
        arguments: [
            ("a: 1", "gatefold.yaml:1: queries: missing; expected `recognise` and `subscription`"),
            (
                "queries: {subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.recognise: missing; expected a statement"
            ),
            (
                "queries: {recognise: 'SELECT :identifier'}",
                "gatefold.yaml:1: queries.subscription: missing; expected a statement"
            ),
            (
                "queries:\n  recognise: SELECT 1\n  subscription: 'SELECT :key'",
                "gatefold.yaml:2: queries.recognise: expected the parameter :identifier or :typed_identifier"
            ),
            (
                "queries:\n  recognise: 'SELECT :identifier'\n  subscription: 'SELECT :kay'",
                "gatefold.yaml:3: queries.subscription: unknown parameter :kay; expected :key"
            ),
            (
                "queries:\n  recognise: 'SELECT :identifier'\n  subscription: 'SELECT 1'",
                "gatefold.yaml:3: queries.subscription: expected the parameter :key"
            ),
            (
                "queries: {recognise: 'SELECT :identifier', subscription: 'SELECT :key', verdict: 'SELECT :key'}",
                "gatefold.yaml:1: queries.verdict: expected the parameter :edition"
            ),
            (
                "queries: {recognise: 'SELECT :identifier, :key', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.recognise: unknown parameter :key; nobody is recognised yet"
            ),
            (
                "queries: {recognise: 'SELECT :identifier; DROP TABLE r', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: queries.recognise: expected one statement, with a semicolon at its end at most"
            ),
            (
                "queries: {recognise: 'SELECT :identifier', subscription: 'SELECT :key', health: 'SELECT :a'}",
                "gatefold.yaml:1: queries.health: unknown parameter :a; expected none"
            ),
            (
                "queries: {recognise: 'SELECT :identifier, :password', subscription: 'SELECT :key'}\nproof: {}",
                "gatefold.yaml:2: proof: `password` is bound in `queries.recognise` already; expected one of the two"
            ),
            (
                "request_fields: [key]\nqueries: {recognise: 'SELECT :identifier', subscription: 'SELECT :key'}",
                "gatefold.yaml:1: request_fields: `key` is a parameter of its own"
            ),
        ])
    func mistakes(yaml: String, message: String) {
        #expect(error(yaml) == message)
    }
}
