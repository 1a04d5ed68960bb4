import Foundation
import Gatefold
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("A backend on a publisher's statements") struct SQLSubscriberBackendTests {
    /// A database that answers by a script and remembers what was bound.
    private final class ScriptedDatabase: SQLDatabase {
        struct ValueRefused: SQLDatabaseFailure {
            var cause: String { "a value" }
            var isOfValue: Bool { true }
            var isOfOneAnswer: Bool { true }
        }
        struct Down: SQLDatabaseFailure {
            var cause: String { "down" }
            var isOfValue: Bool { false }
            var isOfOneAnswer: Bool { false }
        }

        private let answers: [String: Result<SQLRows, any Error>]
        /// The name of a parameter whose every value is refused.
        private let refuses: String?
        let asked = Mutex<[(text: String, values: [String: String])]>([])

        init(_ answers: [String: Result<SQLRows, any Error>], refuses: String? = nil) {
            self.answers = answers
            self.refuses = refuses
        }

        func rows(_ statement: SQLStatement, _ values: [String: String]) async throws -> SQLRows {
            asked.withLock { $0.append((statement.text, values.filter { statement.parameters.contains($0.key) })) }
            if let refuses, statement.parameters.contains(refuses), values[refuses] != nil { throw ValueRefused() }
            for (part, answer) in answers where statement.text.contains(part) { return try answer.get() }
            return SQLRows(columns: ["?column?"], rows: [["1"]])
        }
    }

    /// A backend whose statements select FROM recognise, subscription, editions and verdict.
    private struct Rig {
        let backend: SQLSubscriberBackend<ScriptedDatabase>
        let database: ScriptedDatabase
        let events = Events()
        let hashes: Counter

        init(
            _ answers: [String: Result<SQLRows, any Error>], settings: String = "", editions: Bool = false,
            refuses: String? = nil
        ) throws {
            let yaml = """
                queries:
                  recognise: "SELECT * FROM recognise WHERE id = :identifier AND typed = :typed_identifier AND t = :title"
                  subscription: "SELECT * FROM subscription WHERE id = :key AND t = :title"
                  verdict: "SELECT * FROM verdict WHERE id = :key AND e = :edition AND coalesce(:title, '') <> '?'"
                  \(editions ? #"editions: "SELECT * FROM editions WHERE id = :key""# : "")
                request_fields: [title]
                \(settings)
                """
            let section = try YAMLSettings.read(text: yaml, name: "t", folder: "/")
            database = ScriptedDatabase(answers, refuses: refuses)
            let (events, hashes) = (events, Counter())
            self.hashes = hashes
            backend = SQLSubscriberBackend(
                name: "legacy", database: database, queries: try SQLQueries(section, dialect: .postgreSQL),
                mapping: try SubscriptionMapping(try section.section("subscription")),
                services: BackendServices(
                    clock: .system, random: .system,
                    passwords: PasswordVerifier(
                        hasher: try PasswordHasher(cost: 1) { _ in hashes.count.withLock { $0 += 1 } }, concurrency: 1),
                    references: ReferenceKey(Secret(Array("a secret for references".utf8))),
                    observe: { event in events.all.withLock { $0.append(event.name) } }))
        }

        func recognise(
            _ identifier: String = "Ada", password: String = "right", title: String? = "daily"
        ) async throws -> Recognition {
            try await backend.recognise(
                Credentials(
                    identifier: CredentialFields.fold(identifier),
                    fields: ["subscriber": identifier, "password": password]),
                inquiry: Inquiry(fields: title.map { ["title": $0, "other": "x"] } ?? [:]))
        }

        func subscription(key: String = "7", title: String? = nil) async throws -> Subscription {
            try await backend.subscription(
                of: Subscriber(backend: "legacy", key: key),
                inquiry: Inquiry(fields: title.map { ["title": $0] } ?? [:]))
        }
    }

    private final class Events: Sendable { let all = Mutex<[String]>([]) }
    private final class Counter: Sendable { let count = Mutex(0) }

    private func rows(_ columns: [String], _ rows: [String?]...) -> Result<SQLRows, any Error> {
        .success(SQLRows(columns: columns, rows: rows))
    }

    private static let refusal = Recognition.notRecognised(message: nil)
    private static let proof = "proof: {field: password}"

    @Test("binds the identifier folded and as typed, proofs, and the fields of the request that are named")
    func binding() async throws {
        let rig = try Rig(["recognise": rows(["key", "password"])], settings: Self.proof)
        _ = try await rig.recognise(" Ada ")
        _ = try await rig.recognise(title: "\u{0}")
        let asked = rig.database.asked.withLock { $0 }
        #expect(asked[0].values == ["identifier": "ada", "typed_identifier": " Ada ", "title": "daily"])
        #expect(asked[1].values["title"] == nil, "what no database takes counts as not sent")
    }

    @Test("recognises by a stored proof; the key is the database's own")
    func storedProof() async throws {
        let hash = try PasswordHasher(cost: 1).hash("right")
        let rig = try Rig(["recognise": rows(["key", "password", "salt"], ["7", hash, nil])], settings: Self.proof)
        #expect(try await rig.recognise() == .recognised(Subscriber(backend: "legacy", key: "7")))
        #expect(try await rig.recognise(password: "wrong") == Self.refusal)
    }

    @Test("Pitfalls 6 and 14: nobody, two matches, no key, no password and a wrong one: one answer after one hash")
    func refusals() async throws {
        let hash = try PasswordHasher(cost: 1).hash("right")
        let columns = ["key", "password"]
        let answers: [(String, Result<SQLRows, any Error>, [String])] = [
            ("nobody", rows(columns), []),
            ("two", rows(columns, ["7", hash], ["8", hash]), ["several_matches"]),
            ("null key", rows(columns, [nil, hash]), ["row_without_key"]),
            ("empty key", rows(columns, ["", hash]), ["row_without_key"]),
            ("null password", rows(columns, ["7", nil]), []),
            ("empty password", rows(columns, ["7", ""]), []),
            ("a value the database refuses", .failure(ScriptedDatabase.ValueRefused()), ["value_refused"]),
        ]
        for (name, answer, events) in answers {
            let rig = try Rig(["recognise": answer], settings: Self.proof)
            #expect(try await rig.recognise() == Self.refusal, "\(name)")
            #expect(rig.events.all.withLock { $0 } == events, "\(name)")
            #expect(rig.hashes.count.withLock { $0 } == 1, "\(name)")
            #expect(rig.database.asked.withLock { $0.count } == 1, "\(name)")
        }
        let rig = try Rig(["recognise": rows(columns, ["7", hash])], settings: Self.proof)
        #expect(try await rig.recognise(password: "wrong") == Self.refusal)
        #expect(rig.hashes.count.withLock { $0 } == 1)
    }

    @Test("Pitfall 13: what no database takes is nobody's, and does not reach it")
    func hygiene() async throws {
        for text in ["\u{0}", "ada\u{0}", String(repeating: "a", count: 1_025)] {
            let rig = try Rig(["recognise": rows(["key", "password"])], settings: Self.proof)
            #expect(try await rig.recognise(text) == Self.refusal)
            #expect(try await rig.recognise(password: text) == Self.refusal)
            #expect(rig.database.asked.withLock { $0.count } == 0)
            #expect(try await rig.subscription(key: text).state == .unknown)
        }
    }

    @Test("Pitfall 9: what the database could not answer is thrown")
    func outage() async throws {
        let rig = try Rig(
            [
                "recognise": .failure(ScriptedDatabase.Down()),
                "subscription": .failure(ScriptedDatabase.ValueRefused()),
            ],
            settings: Self.proof)
        await #expect(throws: ScriptedDatabase.Down.self) { try await rig.recognise() }
        await #expect(throws: ScriptedDatabase.ValueRefused.self) { try await rig.subscription() }
    }

    @Test("a stored password that no section compares is a mistake, whoever asks")
    func uncheckedPassword() async throws {
        let rig = try Rig(["recognise": rows(["KEY", "Password"])])
        await #expect(throws: SQLSetupError.uncheckedPassword) { try await rig.recognise() }
    }

    @Test("Pitfall 1: missing and doubled columns are errors, also of an answer without rows; null states, too")
    func columns() async throws {
        for columns in [["id"], ["State", "STATE"], ["state", "state"], []] {
            let rig = try Rig(["subscription": rows(columns)])
            await #expect(throws: MappingError.self, "\(columns)") { try await rig.subscription() }
        }
        let null = try Rig(["subscription": rows(["state"], [nil])])
        await #expect(throws: MappingError.emptyState) { try await null.subscription() }
        let editions = try Rig(
            ["subscription": rows(["state"], ["active"]), "editions": rows(["issue"])], editions: true)
        await #expect(throws: MappingError.missingField("edition")) { try await editions.subscription() }
        let recognise = try Rig(["recognise": rows(["id", "password"])], settings: Self.proof)
        await #expect(throws: MappingError.missingField("key")) { try await recognise.recognise() }
    }

    @Test("finds a column whatever its case, and the exact one first")
    func columnCase() async throws {
        #expect(try await Rig(["subscription": rows(["STATE"], ["active"])]).subscription().state == .active)
        let exact = try Rig(["subscription": rows(["STATE", "state"], ["active", "suspended"])])
        #expect(try await exact.subscription().state == .suspended)
    }

    @Test("Pitfall 1: no rows of the subscription are nobody, no rows of the editions are none of them")
    func noRows() async throws {
        let nobody = try Rig(["subscription": rows(["state"])], editions: true)
        #expect(try await nobody.subscription() == Subscription(state: .unknown))
        #expect(nobody.database.asked.withLock { $0.count } == 1)
        for mapping in ["", "subscription: {editions: {from: issue}}"] {
            let none = try Rig(
                ["subscription": rows(["state"], ["active"]), "editions": rows(["edition", "issue"])],
                settings: mapping, editions: true)
            #expect(try await none.subscription() == Subscription(state: .active, entitlement: .editions([])))
        }
    }

    @Test("editions come from a statement of their own, from the subscription, or both")
    func editions() async throws {
        let held = try Rig(
            [
                "subscription": rows(["state", "edition"], ["active", "c"]),
                "editions": rows(["edition"], ["a"], ["b"], [nil]),
            ], settings: "subscription: {editions: {from: edition}}", editions: true)
        #expect(try await held.subscription().entitlement == entitlement("a", "b", "c"))
        let listed = try Rig(
            ["subscription": rows(["state", "editions"], ["active", "a,b"])],
            settings: "subscription: {editions: {}}")
        #expect(try await listed.subscription().entitlement == entitlement("a", "b"))
    }

    @Test("several rows are several subscriptions: the best state, and what each opens by itself")
    func severalRows() async throws {
        let rig = try Rig(
            [
                "subscription": rows(
                    ["state", "editions", "everything"], ["inactive", "a", "true"], ["active", "b", "false"],
                    ["suspended", "c", "true"])
            ], settings: "subscription: {editions: {}, everything: {}}")
        let told = try await rig.subscription()
        #expect(told.state == .active)
        #expect(told.entitlement == entitlement("b"), "the expired one's everything does not open, nor the suspended's")
    }

    @Test("Pitfall 1: a verdict is a row that says yes, and neither any row nor any word")
    func verdictWords() async throws {
        let subscriber = Subscriber(backend: "legacy", key: "7")
        let edition = try #require(EditionID("com.example.1"))
        func verdict(_ columns: [String], _ all: [String?]...) async throws -> EditionVerdict? {
            let rig = try Rig(["verdict": .success(SQLRows(columns: columns, rows: all))])
            return try await rig.backend.verdict(on: edition, for: subscriber, inquiry: Inquiry())
        }
        for yes in ["1", "t", "TRUE", " yes ", "Y"] { #expect(try await verdict(["x"], [yes]) == .granted, "\(yes)") }
        #expect(try await verdict(["x"], ["0"], ["1"]) == .granted)
        for no in ["0", "f", "false", "NO", "n", "", " ", nil] {
            #expect(try await verdict(["exists"], [no]) == .refused(.notEntitled, message: nil), "\(no ?? "NULL")")
        }
        for odd in ["2", "-1", "denied", "com.example.1", "null"] {
            await #expect(throws: SQLAnswerError.unclearVerdict, "\(odd)") { try await verdict(["x"], [odd]) }
            await #expect(throws: SQLAnswerError.unclearVerdict, "\(odd)") { try await verdict(["x"], ["1"], [odd]) }
        }
        await #expect(throws: SQLAnswerError.unclearVerdict) { try await verdict(["id", "x"], ["1", "0"]) }
    }

    @Test("a verdict asks with the key and the edition; without an edition there is none")
    func verdict() async throws {
        let subscriber = Subscriber(backend: "legacy", key: "7")
        let edition = try #require(EditionID("com.example.1"))
        let granting = try Rig(["verdict": rows(["x"], ["1"])])
        #expect(try await granting.backend.verdict(on: edition, for: subscriber, inquiry: Inquiry()) == .granted)
        #expect(try await granting.backend.verdict(on: nil, for: subscriber, inquiry: Inquiry()) == nil)
        #expect(granting.database.asked.withLock { $0[0].values } == ["key": "7", "edition": "com.example.1"])
        let refusing = try Rig(["verdict": rows(["x"])])
        let refused = EditionVerdict.refused(.notEntitled, message: nil)
        #expect(try await refusing.backend.verdict(on: edition, for: subscriber, inquiry: Inquiry()) == refused)
    }

    @Test("an edition that can not be what the statement takes it for is nobody's, and no outage")
    func refusedEdition() async throws {
        let rig = try Rig(["verdict": rows(["x"], ["1"])], refuses: "edition")
        let verdict = try await rig.backend.verdict(
            on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"), inquiry: Inquiry())
        #expect(verdict == .refused(.notEntitled, message: nil))
        #expect(rig.events.all.withLock { $0 } == ["value_refused"])
        let down = try Rig(["verdict": .failure(ScriptedDatabase.Down())])
        await #expect(throws: ScriptedDatabase.Down.self) {
            try await down.backend.verdict(
                on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"), inquiry: Inquiry())
        }
    }

    @Test("a field of the request that the database refuses counts as one that was not sent")
    func refusedField() async throws {
        let rig = try Rig(
            ["subscription": rows(["state"], ["active"]), "verdict": rows(["x"], ["1"])], refuses: "title")
        #expect(try await rig.subscription(title: "x").state == .active)
        #expect(rig.database.asked.withLock { $0.map(\.values) } == [["key": "7", "title": "x"], ["key": "7"]])
        let verdict = try await rig.backend.verdict(
            on: EditionID("abc"), for: Subscriber(backend: "legacy", key: "7"),
            inquiry: Inquiry(fields: ["title": "x"]))
        #expect(verdict == .granted)
        #expect(rig.events.all.withLock { $0 } == ["value_refused", "value_refused"])
        let key = try Rig(["subscription": rows(["state"], ["active"])], refuses: "key")
        await #expect(throws: ScriptedDatabase.ValueRefused.self) { try await key.subscription(title: "x") }
        #expect(key.database.asked.withLock { $0.count } == 2)
    }

    @Test("another backend's subscriber is unknown")
    func foreign() async throws {
        let rig = try Rig(["subscription": rows(["state"], ["active"])])
        let told = try await rig.backend.subscription(of: Subscriber(backend: "x", key: "7"), inquiry: Inquiry())
        #expect(told.state == .unknown)
    }

    private func entitlement(_ editions: String...) -> Entitlement {
        .editions(Set(editions.compactMap { EditionID($0) }))
    }
}
