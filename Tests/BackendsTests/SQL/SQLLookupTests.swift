import Gatefold
import Settings
import Testing

@testable import Backends
@testable import SQLAccess

@Suite("Lookup statements in a backend's settings") struct SQLLookupTests {
    private func queries(_ lines: String, isReadOnly: Bool = true) throws(SettingsError) -> SQLQueries {
        try SQLQueries(
            try YAMLSettings.read(
                text: "queries:\n  subscription: \"SELECT 1 WHERE id = :key\"\n\(lines)\n", name: "gatefold.yaml",
                folder: "/nowhere"), dialect: .postgreSQL, isReadOnly: isReadOnly)
    }

    @Test("The sign-in statement is the lookup if it binds nothing but the identifier")
    func authenticate() throws {
        let compared = try queries(
            """
              authenticate: "SELECT id AS key, hash AS password FROM r WHERE n = :identifier OR n = :raw_identifier"
            proof: {field: password}
            """)
        #expect(compared.lookup?.text == compared.authenticate.text && compared.lookupName == "queries.authenticate")
    }

    @Test("On a connection that may write, the sign-in statement is no lookup, because it may count sign-ins")
    func writable() throws {
        let authenticate = #"  authenticate: "SELECT id AS key FROM r WHERE n = :identifier""#
        #expect(try queries(authenticate, isReadOnly: false).lookup == nil)
        let own = authenticate + "\n  lookup: \"SELECT id AS key FROM r WHERE n = :identifier\""
        #expect(try queries(own, isReadOnly: false).lookupName == "queries.lookup")
    }

    @Test(
        "A connection to PostgreSQL is read-only by its settings",
        arguments: [
            ("", true), (", read_only: false", false), (", session_settings: false", false),
        ])
    func connections(setting: String, isReadOnly: Bool) throws {
        let settings = try YAMLSettings.read(
            text: "connection: {hosts: [db], database: a, user: b\(setting)}", name: "gatefold.yaml",
            folder: "/nowhere")
        #expect(try PostgreSQLSettings(settings).isReadOnly == isReadOnly)
    }

    @Test("A statement that binds a proof finds nobody without it, and needs a lookup statement")
    func bound() throws {
        let authenticate = #"  authenticate: "SELECT id AS key FROM r WHERE n = :identifier AND s = :surname""#
        #expect(try queries(authenticate).lookup == nil)
        let both = try queries(authenticate + "\n  lookup: \"SELECT id AS key FROM r WHERE n = :identifier\"")
        #expect(both.lookupName == "queries.lookup" && both.lookup?.parameters == ["identifier"])
        #expect(both.checkedProofs == ["surname"])
    }

    @Test(
        "A lookup statement binds the identifier, and neither a proof nor a key",
        arguments: [
            ("SELECT id AS key FROM r", "expected the parameter :identifier or :raw_identifier"),
            ("SELECT 1 WHERE n = :identifier AND s = :surname", "unknown parameter :surname"),
            ("SELECT 1 WHERE n = :identifier AND k = :key", "unknown parameter :key"),
        ])
    func rejected(statement: String, message: String) throws {
        do throws(SettingsError) {
            _ = try queries(
                "  authenticate: \"SELECT id AS key FROM r WHERE n = :identifier\"\n  lookup: \"\(statement)\"")
            Issue.record("no error")
        } catch {
            #expect(error.description.contains(message), "\(error)")
        }
    }
}
