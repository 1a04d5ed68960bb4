import Foundation
import Gatefold
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience
@testable import SQLAccess

@Suite("SQL subscriber backend") struct SQLSubscriberBackendTests {
    /// A database with scripted results that records the bound values.
    private final class ScriptedDatabase: SQLDatabase {
        struct ValueRejected: SQLDatabaseFailure {
            var cause: String { "a value" }
            var isValueError: Bool { true }
            var isRequestScoped: Bool { true }
        }
        struct UnavailableError: SQLDatabaseFailure {
            var cause: String { "down" }
            var isValueError: Bool { false }
            var isRequestScoped: Bool { false }
        }

        private let results: [String: Result<SQLRows, any Error>]
        /// The name of a parameter whose values are all rejected.
        private let rejects: String?
        let queried = Mutex<[(text: String, values: [String: String])]>([])

        init(_ results: [String: Result<SQLRows, any Error>], rejects: String? = nil) {
            self.results = results
            self.rejects = rejects
        }

        func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
            queried.withLock { $0.append((statement.text, values.filter { statement.parameters.contains($0.key) })) }
            if let rejects, statement.parameters.contains(rejects), values[rejects] != nil { throw ValueRejected() }
            for (part, response) in results where statement.text.contains(part) { return try response.get() }
            return SQLRows(columns: ["?column?"], rows: [["1"]])
        }
    }

    /// A backend whose statements select from `authenticate`, `subscription`, `editions` and `verdict`.
    private struct Harness {
        let backend: SQLSubscriberBackend<ScriptedDatabase>
        let database: ScriptedDatabase
        let events = Events()
        let hashes: Counter

        init(
            _ results: [String: Result<SQLRows, any Error>], settings: String = "", editions: Bool = false,
            rejects: String? = nil
        ) throws {
            let yaml = """
                queries:
                  authenticate: "SELECT * FROM authenticate WHERE id = :identifier AND typed = :raw_identifier AND t = :title"
                  subscription: "SELECT * FROM subscription WHERE id = :key AND t = :title"
                  verdict: "SELECT * FROM verdict WHERE id = :key AND e = :edition AND coalesce(:title, '') <> '?'"
                  \(editions ? #"editions: "SELECT * FROM editions WHERE id = :key""# : "")
                request_fields: [title]
                \(settings)
                """
            let section = try YAMLSettings.read(text: yaml, name: "t", folder: "/")
            database = ScriptedDatabase(results, rejects: rejects)
            let (events, hashes) = (events, Counter())
            self.hashes = hashes
            backend = SQLSubscriberBackend(
                name: "legacy", database: database,
                queries: try SQLQueries(section, dialect: .postgreSQL, isReadOnly: true),
                mapping: try SubscriptionMapping(try section.section("subscription")),
                services: BackendServices(
                    clock: .system, random: .system,
                    passwords: PasswordVerifier(
                        hasher: try PasswordHasher(cost: 1) { _ in hashes.count.withLock { $0 += 1 } }, concurrency: 1),
                    pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))),
                    observe: { event in events.all.withLock { $0.append(event.name) } }))
        }

        func authenticate(
            _ identifier: String = "Ada", password: String = "right", title: String? = "daily"
        ) async throws -> AuthenticationResult {
            try await backend.authenticate(
                Credentials(
                    identifier: CredentialFields.fold(identifier),
                    fields: ["subscriber": identifier, "password": password]),
                context: CallContext(fields: title.map { ["title": $0, "other": "x"] } ?? [:])
            ).value
        }

        func lookUp() async throws -> ReaderLookup {
            guard let credentials = Credentials(finding: "Ada", field: "subscriber") else { return ReaderLookup() }
            return try await backend.lookUp(credentials, context: CallContext()).value
        }

        func subscription(key: String = "7", title: String? = nil) async throws -> Subscription {
            try await backend.subscription(
                of: Subscriber(backend: "legacy", key: key),
                context: CallContext(fields: title.map { ["title": $0] } ?? [:])
            ).value
        }
    }

    private final class Events: Sendable { let all = Mutex<[String]>([]) }
    private final class Counter: Sendable { let count = Mutex(0) }

    private func rows(_ columns: [String], _ rows: [String?]...) -> Result<SQLRows, any Error> {
        .success(SQLRows(columns: columns, rows: rows))
    }

    private static let rejection = AuthenticationResult.rejected(message: nil)
    private static let proof = "proof: {field: password}"

    @Test("Binds the folded and the raw identifier, proofs, and the named request fields")
    func binding() async throws {
        let harness = try Harness(["authenticate": rows(["key", "password"])], settings: Self.proof)
        _ = try await harness.authenticate(" Ada ")
        _ = try await harness.authenticate(title: "\u{0}")
        let queried = harness.database.queried.withLock { $0 }
        #expect(queried[0].values == ["identifier": "ada", "raw_identifier": " Ada ", "title": "daily"])
        #expect(queried[1].values["title"] == nil, "a value that no database accepts counts as not sent")
    }

    @Test("A lookup finds what a sign-in would, and names an identifier of several rows, which a sign-in rejects")
    func lookups() async throws {
        let one = try Harness(["authenticate": rows(["key", "password"], ["7", "x"])], settings: Self.proof)
        #expect(try await one.lookUp() == ReaderLookup([Subscriber(backend: "legacy", key: "7")]))
        let same = try Harness(
            ["authenticate": rows(["key", "password"], ["7", "x"], ["7", "y"])], settings: Self.proof)
        #expect(try await same.authenticate() == Self.rejection)
        #expect(
            try await same.lookUp()
                == ReaderLookup([Subscriber(backend: "legacy", key: "7")], ambiguous: ["legacy"]))
        let unverified = try Harness(["authenticate": rows(["key", "password"], ["7", "x"])])
        await #expect(throws: SQLSetupError.unverifiedPassword) { try await unverified.lookUp() }
    }

    @Test("Authenticates by a stored proof, under the database's key")
    func storedProof() async throws {
        let hash = try PasswordHasher(cost: 1).hash("right")
        let harness = try Harness(
            ["authenticate": rows(["key", "password", "salt"], ["7", hash, nil])], settings: Self.proof)
        #expect(try await harness.authenticate() == .authenticated(Subscriber(backend: "legacy", key: "7")))
        #expect(try await harness.authenticate(password: "wrong") == Self.rejection)
    }

    @Test("Pitfalls 6 and 14: every kind of rejection is the same result after one hash")
    func rejections() async throws {
        let hash = try PasswordHasher(cost: 1).hash("right")
        let columns = ["key", "password"]
        let results: [(String, Result<SQLRows, any Error>, [String])] = [
            ("nobody", rows(columns), []),
            ("two", rows(columns, ["7", hash], ["8", hash]), ["several_matches"]),
            ("null key", rows(columns, [nil, hash]), ["row_without_key"]),
            ("empty key", rows(columns, ["", hash]), ["row_without_key"]),
            ("null password", rows(columns, ["7", nil]), []),
            ("empty password", rows(columns, ["7", ""]), []),
            ("a value the database rejects", .failure(ScriptedDatabase.ValueRejected()), ["value_rejected"]),
        ]
        for (name, response, events) in results {
            let harness = try Harness(["authenticate": response], settings: Self.proof)
            #expect(try await harness.authenticate() == Self.rejection, "\(name)")
            #expect(harness.events.all.withLock { $0 } == events, "\(name)")
            #expect(harness.hashes.count.withLock { $0 } == 1, "\(name)")
            #expect(harness.database.queried.withLock { $0.count } == 1, "\(name)")
        }
        let harness = try Harness(["authenticate": rows(columns, ["7", hash])], settings: Self.proof)
        #expect(try await harness.authenticate(password: "wrong") == Self.rejection)
        #expect(harness.hashes.count.withLock { $0 } == 1)
    }

    @Test("Pitfall 13: a value that no database accepts is rejected without a query")
    func hygiene() async throws {
        for text in ["\u{0}", "ada\u{0}", String(repeating: "a", count: 1_025)] {
            let harness = try Harness(["authenticate": rows(["key", "password"])], settings: Self.proof)
            #expect(try await harness.authenticate(text) == Self.rejection)
            #expect(try await harness.authenticate(password: text) == Self.rejection)
            #expect(harness.database.queried.withLock { $0.count } == 0)
            #expect(try await harness.subscription(key: text).state == .unknown)
        }
    }

    @Test("Pitfall 9: a failure of the database is thrown")
    func outage() async throws {
        let harness = try Harness(
            [
                "authenticate": .failure(ScriptedDatabase.UnavailableError()),
                "subscription": .failure(ScriptedDatabase.ValueRejected()),
            ],
            settings: Self.proof)
        await #expect(throws: ScriptedDatabase.UnavailableError.self) { try await harness.authenticate() }
        await #expect(throws: ScriptedDatabase.ValueRejected.self) { try await harness.subscription() }
    }

    @Test("A stored password without a `proof` section is an error")
    func unverifiedPassword() async throws {
        let harness = try Harness(["authenticate": rows(["KEY", "Password"])])
        await #expect(throws: SQLSetupError.unverifiedPassword) { try await harness.authenticate() }
    }

    @Test("Pitfall 1: missing and duplicate columns are errors, even without rows; NULL states, too")
    func columns() async throws {
        for columns in [["id"], ["State", "STATE"], ["state", "state"], []] {
            let harness = try Harness(["subscription": rows(columns)])
            await #expect(throws: MappingError.self, "\(columns)") { try await harness.subscription() }
        }
        let null = try Harness(["subscription": rows(["state"], [nil])])
        await #expect(throws: MappingError.emptyState) { try await null.subscription() }
        let editions = try Harness(
            ["subscription": rows(["state"], ["active"]), "editions": rows(["issue"])], editions: true)
        await #expect(throws: MappingError.missingField("edition")) { try await editions.subscription() }
        let authenticate = try Harness(["authenticate": rows(["id", "password"])], settings: Self.proof)
        await #expect(throws: MappingError.missingField("key")) { try await authenticate.authenticate() }
    }

    @Test("A column is found in any case, and an exact match wins")
    func columnCase() async throws {
        #expect(try await Harness(["subscription": rows(["STATE"], ["active"])]).subscription().state == .active)
        let exact = try Harness(["subscription": rows(["STATE", "state"], ["active", "suspended"])])
        #expect(try await exact.subscription().state == .suspended)
    }

    @Test("Pitfall 1: no subscription row is an unknown reader, and no edition row is no edition")
    func noRows() async throws {
        let nobody = try Harness(["subscription": rows(["state"])], editions: true)
        #expect(try await nobody.subscription() == Subscription(state: .unknown))
        #expect(nobody.database.queried.withLock { $0.count } == 1)
        for mapping in ["", "subscription: {editions: {from: issue}}"] {
            let none = try Harness(
                ["subscription": rows(["state"], ["active"]), "editions": rows(["edition", "issue"])],
                settings: mapping, editions: true)
            #expect(try await none.subscription() == Subscription(state: .active, entitlement: .editions([])))
        }
    }

    @Test("Editions come from their own statement, from the subscription, or from both")
    func editions() async throws {
        let held = try Harness(
            [
                "subscription": rows(["state", "edition"], ["active", "c"]),
                "editions": rows(["edition"], ["a"], ["b"], [nil]),
            ], settings: "subscription: {editions: {from: edition}}", editions: true)
        #expect(try await held.subscription().entitlement == entitlement("a", "b", "c"))
        let listed = try Harness(
            ["subscription": rows(["state", "editions"], ["active", "a,b"])],
            settings: "subscription: {editions: {}}")
        #expect(try await listed.subscription().entitlement == entitlement("a", "b"))
    }

    @Test("Several rows are several subscriptions: the best state, and the editions that each opens by itself")
    func severalRows() async throws {
        let harness = try Harness(
            [
                "subscription": rows(
                    ["state", "editions", "all_editions"], ["inactive", "a", "true"], ["active", "b", "false"],
                    ["suspended", "c", "true"])
            ], settings: "subscription: {editions: {}, all_editions: {}}")
        let reported = try await harness.subscription()
        #expect(reported.state == .active)
        #expect(
            reported.entitlement == entitlement("b"),
            "\"all editions\" of an expired or suspended subscription opens nothing")
    }

    @Test("Pitfall 1: only a row with an affirmative value grants; an unclear value is an error")
    func verdictValues() async throws {
        let subscriber = Subscriber(backend: "legacy", key: "7")
        let edition = try #require(EditionID("com.example.1"))
        func verdict(_ columns: [String], _ all: [String?]...) async throws -> EditionVerdict? {
            let harness = try Harness(["verdict": .success(SQLRows(columns: columns, rows: all))])
            return try await harness.backend.verdict(on: edition, for: subscriber, context: CallContext()).value
        }
        for yes in ["1", "t", "TRUE", " yes ", "Y"] { #expect(try await verdict(["x"], [yes]) == .granted, "\(yes)") }
        #expect(try await verdict(["x"], ["0"], ["1"]) == .granted)
        for no in ["0", "f", "false", "NO", "n", "", " ", nil] {
            #expect(try await verdict(["exists"], [no]) == .rejected(.notEntitled, message: nil), "\(no ?? "NULL")")
        }
        for odd in ["2", "-1", "denied", "com.example.1", "null"] {
            await #expect(throws: SQLResultError.ambiguousVerdict, "\(odd)") { try await verdict(["x"], [odd]) }
            await #expect(throws: SQLResultError.ambiguousVerdict, "\(odd)") { try await verdict(["x"], ["1"], [odd]) }
        }
        await #expect(throws: SQLResultError.ambiguousVerdict) { try await verdict(["id", "x"], ["1", "0"]) }
    }

    @Test("A verdict binds the key and the edition; without an edition there is no verdict")
    func verdict() async throws {
        let subscriber = Subscriber(backend: "legacy", key: "7")
        let edition = try #require(EditionID("com.example.1"))
        let granting = try Harness(["verdict": rows(["x"], ["1"])])
        #expect(
            try await granting.backend.verdict(on: edition, for: subscriber, context: CallContext()).value == .granted)
        #expect(try await granting.backend.verdict(on: nil, for: subscriber, context: CallContext()).value == nil)
        #expect(granting.database.queried.withLock { $0[0].values } == ["key": "7", "edition": "com.example.1"])
        let denying = try Harness(["verdict": rows(["x"])])
        let rejected = EditionVerdict.rejected(.notEntitled, message: nil)
        #expect(
            try await denying.backend.verdict(on: edition, for: subscriber, context: CallContext()).value == rejected)
    }

    @Test("An edition that the statement's type cannot hold is denied, and is no outage")
    func deniedEdition() async throws {
        let harness = try Harness(["verdict": rows(["x"], ["1"])], rejects: "edition")
        let verdict = try await harness.backend.verdict(
            on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"), context: CallContext()
        ).value
        #expect(verdict == .rejected(.notEntitled, message: nil))
        #expect(harness.events.all.withLock { $0 } == ["value_rejected"])
        let down = try Harness(["verdict": .failure(ScriptedDatabase.UnavailableError())])
        await #expect(throws: ScriptedDatabase.UnavailableError.self) {
            try await down.backend.verdict(
                on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"), context: CallContext()
            ).value
        }
    }

    @Test("A request field that the database rejects is treated as not sent")
    func rejectedField() async throws {
        let harness = try Harness(
            ["subscription": rows(["state"], ["active"]), "verdict": rows(["x"], ["1"])], rejects: "title")
        #expect(try await harness.subscription(title: "x").state == .active)
        #expect(harness.database.queried.withLock { $0.map(\.values) } == [["key": "7", "title": "x"], ["key": "7"]])
        let verdict = try await harness.backend.verdict(
            on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"),
            context: CallContext(fields: ["title": "x"])
        ).value
        #expect(verdict == .granted)
        #expect(harness.events.all.withLock { $0 } == ["value_rejected", "value_rejected"])
        let key = try Harness(["subscription": rows(["state"], ["active"])], rejects: "key")
        await #expect(throws: ScriptedDatabase.ValueRejected.self) { try await key.subscription(title: "x") }
        #expect(key.database.queried.withLock { $0.count } == 2)
    }

    @Test("A subscriber of another backend is unknown")
    func foreign() async throws {
        let harness = try Harness(["subscription": rows(["state"], ["active"])])
        let reported = try await harness.backend.subscription(
            of: Subscriber(backend: "x", key: "7"), context: CallContext()
        ).value
        #expect(reported.state == .unknown)
    }

    private func entitlement(_ editions: String...) -> Entitlement {
        .editions(Set(editions.compactMap { EditionID($0) }))
    }
}
