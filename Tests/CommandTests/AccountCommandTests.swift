import Accounts
import Backends
import Commerce
import Foundation
import Gatefold
import PasswordHashing
import Primitives
import State
import TestSupport
import Testing

@Suite("gatefold account", .timeLimit(.minutes(5))) struct AccountCommandTests {
    private static let secret = "vS3nq0sYb2uT7kDx"
    private static let pseudonymKey = PseudonymKey(Secret(secret))
    private static let timestamp = Date(timeIntervalSince1970: 1_790_000_000)

    private struct Fixture: Sendable {
        let folder: URL

        var state: SQLStateStore {
            get throws { try SQLStateStore(path: folder.appending(path: "state.sqlite").path) }
        }

        var readers: SubscriberDatabase {
            get throws { try SubscriberDatabase(path: folder.appending(path: "readers.sqlite").path) }
        }

        func account(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["account"] + arguments, in: folder)
        }

        @discardableResult
        func open(
            _ subscriber: Subscriber, in publication: String = "daily", _ details: AccountDetails
        ) async throws -> Account {
            try await state.openAccount(
                of: pseudonymKey.owner(subscriber), in: try #require(PublicationID(publication)),
                uuid: UUID().uuidString.lowercased(), details: details, at: timestamp)
        }
    }

    private func with(_ body: (Fixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder async throws in
            let files = [
                "pseudonyms": Self.secret, "daily": "Kq7wN2vR8tYx4mZp", "other": "Lr8xO3wS9uZy5nAq",
                "gatefold.yaml": """
                server: {listen: "127.0.0.1:\(try FreePort.find())"}
                state: {path: state.sqlite, pseudonym_secret: {file: pseudonyms}}
                backends:
                  readers: {kind: sqlite, path: readers.sqlite, self_service: true}
                  house: {kind: sqlite, path: house.sqlite}
                  all: {kind: chain, members: [{backend: house}, {backend: readers}]}
                publications:
                  daily: {backend: all, default: true, edition_credentials: {salt: plain}, secrets: [{file: daily}]}
                  other: {backend: house, edition_credentials: {salt: plain}, secrets: [{file: other}]}
                """,
            ]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try await body(Fixture(folder: folder))
        }
    }

    private static let ada = AccountDetails(
        identifier: "Ada@Example.com", fullName: "Ada Lovelace", metadata: ["city": "London"])

    @Test("`list` and `show` print the accounts as text and as JSON")
    func showing() async throws {
        try await with { fixture async throws in
            let stateless = try await fixture.account("list")
            #expect(stateless.status == 69 && stateless.errors.contains("no state at"), "\(stateless.errors)")
            _ = try fixture.state
            let none = try await fixture.account("list")
            #expect(none.status == 0 && none.output.isEmpty, "\(none.errors)")
            let missing = try await fixture.account("show", "ada@example.com")
            #expect(missing.status == 1 && missing.errors.contains("no such account"), "\(missing.errors)")
            let account = try await fixture.open(Subscriber(backend: "house", key: "1"), Self.ada)
            try await fixture.open(
                Subscriber(backend: "house", key: "2"), AccountDetails(identifier: "bob@example.com"))
            try await fixture.open(Subscriber(backend: "house", key: "1"), in: "other", Self.ada)
            let all = try await fixture.account("list")
            #expect(
                all.output
                    == "1\tAda@Example.com\t2026-09-21T14:13:20Z\n2\tbob@example.com\t2026-09-21T14:13:20Z\n")
            #expect(try await fixture.account("list", "--after", "1").output.hasPrefix("2\tbob"))
            let first = try await fixture.account("list", "--limit", "1", "--json").output
            #expect(first.contains("\"fullName\":\"Ada Lovelace\"") && !first.contains("bob"))
            #expect(try await fixture.account("list", "--publication", "other").output.hasPrefix("3\tAda"))
            let shown = try await fixture.account("show", "ADA@example.com ")
            #expect(shown.status == 0)
            for text in [
                "identifier  Ada@Example.com", "number      1", "uuid        \(account.uuid)",
                "owner       \(account.owner)", "name        Ada Lovelace", "field       city = London",
            ] {
                #expect(shown.output.contains(text), "\(shown.output)")
            }
            #expect(try await fixture.account("show", "nobody", "--publication", "nowhere").status == 64)
        }
    }

    @Test("`erase` removes a registered reader: sessions, devices, purchases, accounts and subscriber")
    func erasing() async throws {
        try await with { fixture async throws in
            let daily = try #require(PublicationID("daily"))
            let readers = try fixture.readers
            let backend = SubscriberDatabaseBackend(
                name: "readers", database: readers, proof: SubscriberDatabaseBackend.Proof(field: "password"),
                isSelfService: true,
                verifier: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1))
            let subscriber = try #require(
                try await backend.registry?.register(identifier: "ada@example.com", password: "first password"))
            try await fixture.open(subscriber, Self.ada)
            try await fixture.open(subscriber, in: "other", Self.ada)
            let state = try fixture.state
            let reference = Self.pseudonymKey.reference(to: subscriber)
            _ = try await state.admit(
                Self.pseudonymKey.reference(toDevice: "phone"), of: reference, in: daily,
                limit: DeviceLimit(maxDevices: 1, onLimit: .reject), at: Self.timestamp)
            let store = try #require(StoreName("app-store"))
            _ = try await state.persist(
                IncomingReceipt(
                    publication: daily, store: store, owner: Self.pseudonymKey.owner(subscriber),
                    receipt: StoreReceipt([.receipt: "one"])), at: Self.timestamp)
            let erased = try await fixture.account("erase", "ADA@example.com")
            #expect(erased.status == 0, "\(erased.errors)")
            #expect(
                erased.output.contains("Erased 2 accounts, 1 records of purchases and 1 devices"), "\(erased.output)")
            #expect(erased.output.contains("Deleted the subscriber of readers."))
            #expect(try await readers.find("ada@example.com") == nil)
            #expect(try await state.devices(of: reference, in: daily).isEmpty)
            #expect(
                Set(try await state.revocations(after: 0).map(\.revocation.publication.rawValue)) == ["daily", "other"])
            let again = try await fixture.account("erase", "ada@example.com", "--json")
            #expect(again.status == 1)
            #expect(again.output.contains("\"accounts\":0"))
        }
    }

    @Test("`erase` reports that another subscriber system keeps its own record")
    func elsewhere() async throws {
        try await with { fixture async throws in
            try await fixture.open(Subscriber(backend: "house", key: "1"), Self.ada)
            let erased = try await fixture.account("erase", "ada@example.com")
            #expect(erased.status == 0)
            #expect(erased.output.contains("The subscriber system has its own record"), "\(erased.output)")
            #expect(try await fixture.account("show", "ada@example.com").status == 1)
        }
    }
}
