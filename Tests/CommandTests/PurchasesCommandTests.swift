import Commerce
import Foundation
import Gatefold
import Primitives
import State
import TestSupport
import Testing

@Suite("gatefold purchases", .timeLimit(.minutes(5))) struct PurchasesCommandTests {
    private static let app = "com.example.daily"
    private static let secret = "vS3nq0sYb2uT7kDx"
    private static let pseudonymKey = PseudonymKey(Secret(secret))
    private static let daily = PublicationID("daily")!
    private static let store = StoreName("app-store")!
    private static let bought = Date(timeIntervalSince1970: 1_790_000_000)

    private struct Fixture: Sendable {
        let folder: URL
        let port: Int

        /// A new connection for each access, like those of other processes.
        var state: SQLStateStore {
            get throws { try SQLStateStore(path: folder.appending(path: "state/state.sqlite").path) }
        }

        func purchases(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["purchases"] + arguments, in: folder)
        }

        func show(_ user: String, _ more: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(
                ["purchases", "show", "--installation", user, "--app", app] + more, in: folder)
        }

        /// Settles a receipt of an owner that proves these transactions.
        func claim(_ transactions: StoreTransaction..., by owner: PurchaseOwner, receipt: String = "one") async throws {
            let state = try state
            let record = try await state.persist(
                IncomingReceipt(
                    publication: daily, store: store, owner: owner, receipt: StoreReceipt([.receipt: receipt])),
                at: bought)
            _ = try await state.settle(
                record, proving: transactions, claims: ClaimRule(maxPersons: 9), delivering: [], at: bought)
        }
    }

    private static func installation(_ user: String) -> PurchaseOwner {
        pseudonymKey.owner(installation: user, of: app)
    }

    private static func transaction(
        _ id: String, _ product: String = "store.b", expires: Date? = nil, revoked: Date? = nil,
        _ environment: StoreEnvironment = .production, reported: Date = bought
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: id, product: product, purchased: bought, expires: expires,
            revoked: revoked, environment: environment, reported: reported)
    }

    private func with(
        _ publication: String = "", backend: String = "{kind: sqlite, path: house.sqlite}",
        environments: String = "production, sandbox", _ body: (Fixture) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let files = [
                "pseudonyms": Self.secret, "daily": "Kq7wN2vR8tYx4mZp", "other": "Lr8xO3wS9uZy5nAq",
                "shelf.json": """
                [{"name": "b", "title": "B", "date": "2020-02-01 00:00:00", "product_id": "store.b", "url": "b.hpub"},
                 {"name": "a", "title": "A", "date": "2020-01-01 00:00:00", "product_id": "store.a", "url": "a.hpub"}]
                """,
                "gatefold.yaml": """
                server: {listen: "127.0.0.1:\(port)"}
                state: {path: state/state.sqlite, pseudonym_secret: {file: pseudonyms}}
                stores:
                  app-store:
                    {kind: apple, bundles: [\(Self.app)], environments: [\(environments)], verify_receipt: {enabled: true}}
                backends: {house: \(backend), spare: {kind: sqlite, path: spare.sqlite}}
                publications:
                  daily:
                    backend: house
                    default: true
                    edition_credentials: {salt: plain}
                    secrets: [{file: daily}]
                    stores: [app-store]
                    grace: {previous_of_held: 1}
                    catalogue: {kind: baker, path: shelf.json, startup_timeout: 60s}
                    products: {subscriptions: [{product: store.month}]}
                \(publication.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                  other: {backend: spare, edition_credentials: {salt: plain}, secrets: [{file: other}]}
                """,
            ]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "state"), withIntermediateDirectories: true)
            try await body(Fixture(folder: folder, port: port))
        }
    }

    /// Runs a server until it has fetched the catalogue.
    private func serve(_ fixture: Fixture) async throws {
        try await withServer(
            ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: fixture.folder, until: .port(fixture.port))
        ) { _ in }
    }

    @Test("`status` counts receipts by store and status")
    func status() async throws {
        try await with { fixture async throws in
            _ = try fixture.state
            let none = try await fixture.purchases("status")
            #expect(none.status == 0 && none.output == "No receipts.\n", "\(none.errors)")
            try await fixture.claim(Self.transaction("1"), by: Self.installation("ada"))
            let state = try fixture.state
            for (text, timestamp) in [("pending", Self.bought + 9), ("refused", Self.bought)] {
                let record = try await state.persist(
                    IncomingReceipt(
                        publication: Self.daily, store: Self.store, owner: Self.installation("ada"),
                        receipt: StoreReceipt([.receipt: text])), at: timestamp)
                if text == "refused" { try await state.reject(record, ReceiptRejection(.forged), at: timestamp) }
            }
            let all = try await fixture.purchases("status")
            #expect(
                all.lines == [
                    "app-store: 1 pending, 1 verified, 1 rejected", "The oldest is pending since 2026-09-21T14:13:29Z.",
                ], "\(all.output)\(all.errors)")
            let json = try await fixture.purchases("status", "--json")
            #expect(
                json.output == """
                    {"pendingSince":"2026-09-21T14:13:29Z","publication":"daily",\
                    "stores":[{"pending":1,"rejected":1,"store":"app-store","verified":1}]}

                    """, "\(json.output)")
            #expect(try await fixture.purchases("status", "--publication", "other").output == "No receipts.\n")
        }
    }

    @Test("`show` prints an owner's purchases and what they open by the last fetched catalogue")
    func show() async throws {
        try await with { fixture async throws in
            _ = try fixture.state
            let nobody = try await fixture.show("ada")
            #expect(nobody.status == 1 && nobody.output.contains("has no purchases"), "\(nobody.errors)")
            let expires = Date().addingTimeInterval(86_400)
            try await fixture.claim(
                Self.transaction("1"), Self.transaction("2", "store.a", .sandbox), by: Self.installation("ada"))
            let before = try await fixture.show("ada")
            #expect(before.status == 0)
            #expect(before.lines.last == "Opens: unknown, because no catalogue has been fetched successfully")
            try await serve(fixture)
            let single = try await fixture.show("ada")
            #expect(
                single.lines.dropFirst() == [
                    "  store.b  2026-09-21T14:13:20Z  app-store/1",
                    "  store.a  2026-09-21T14:13:20Z in sandbox  app-store/2", "Subscribed: no", "Opens: b",
                ], "\(single.output)")
            let json = try await fixture.show("ada", "--json")
            #expect(json.output.contains(#""editions":["b"],"isSubscribed":false,"linked":[],"opensEverything":false"#))
            // After the link, the installation has the subscriber's purchases.
            let jane = Subscriber(backend: "house", key: "jane")
            try await fixture.claim(
                Self.transaction("3", "store.month", expires: expires), by: Self.pseudonymKey.owner(jane))
            try await fixture.state.link(
                Self.installation("ada"), to: Self.pseudonymKey.owner(jane),
                reference: Self.pseudonymKey.reference(to: jane), in: Self.daily,
                sealed: try Self.pseudonymKey.seal(jane), limit: 9, at: Self.bought)
            #expect(try await fixture.show("ada").lines.suffix(2) == ["Subscribed: yes", "Opens: b"])
            let subscriber = try await fixture.purchases("show", "--subscriber", "jane", "--backend", "house")
            #expect(subscriber.status == 0 && subscriber.output.contains("app-store/1"))
            #expect(subscriber.output.contains("Linked with: \(Self.installation("ada"))"), "\(subscriber.output)")
            #expect(!(single.output + subscriber.output).contains("ada"))
        }
    }

    @Test("`show` counts sandbox purchases for a publication of test readers")
    func sandbox() async throws {
        try await with(
            "test: true\npolicy: backend", backend: "{kind: test}", environments: "sandbox"
        ) { fixture async throws in
            try await serve(fixture)
            try await fixture.claim(
                Self.transaction("1"), Self.transaction("2", "store.a", .sandbox), by: Self.installation("ada"))
            #expect(try await fixture.show("ada").lines.last == "Opens: a")
        }
    }

    @Test("`show` reports that a subscription opens all editions")
    func everything() async throws {
        try await with("policy: access") { fixture async throws in
            try await serve(fixture)
            try await fixture.claim(
                Self.transaction("3", "store.month", expires: Date().addingTimeInterval(86_400)),
                by: Self.installation("ada"))
            #expect(try await fixture.show("ada").lines.suffix(2) == ["Subscribed: yes", "Opens: all editions"])
        }
    }

    @Test("`erase` removes an owner but retains the records of deliveries and refunds")
    func erase() async throws {
        try await with { fixture async throws in
            try await serve(fixture)
            let ada = Self.installation("ada")
            let refunded = Self.transaction("1", revoked: Self.bought + 60, reported: Self.bought + 60)
            try await fixture.claim(Self.transaction("1"), Self.transaction("2", "store.a"), by: ada)
            try await fixture.state.record([refunded], at: Self.bought + 60)
            let shown = try await fixture.show("ada")
            #expect(shown.output.contains("refunded 2026-09-21T14:14:20Z") && shown.lines.last == "Opens: a")
            let erase = ["erase", "--installation", "ada", "--app", Self.app]
            let first = try await GatefoldProgram.run(["purchases"] + erase, in: fixture.folder)
            // Two claims, a receipt, one transaction and its purchase.
            #expect(first.status == 0 && first.output.contains("5 records of owner"), "\(first.output)\(first.errors)")
            let again = try await GatefoldProgram.run(["purchases"] + erase + ["--json"], in: fixture.folder)
            #expect(again.status == 1 && again.output.contains(#""removed":0"#))
            #expect(try await fixture.show("ada").status == 1)
            #expect(try await fixture.purchases("status").output == "No receipts.\n")
            try await fixture.claim(
                Self.transaction("1"), Self.transaction("2", "store.a"), by: ada, receipt: "the old one")
            #expect(try await fixture.show("ada").lines.last == "Opens: a")
        }
    }

    @Test("`erase --with-linked` removes all owners of one person")
    func eraseLinked() async throws {
        try await with { fixture async throws in
            let jane = Subscriber(backend: "house", key: "jane")
            for (number, user) in ["ada", "her tablet"].enumerated() {
                try await fixture.claim(
                    Self.transaction("\(number)"), by: Self.installation(user), receipt: "receipt \(number)")
                try await fixture.state.link(
                    Self.installation(user), to: Self.pseudonymKey.owner(jane),
                    reference: Self.pseudonymKey.reference(to: jane), in: Self.daily,
                    sealed: try Self.pseudonymKey.seal(jane), limit: 9, at: Self.bought)
            }
            let erased = try await fixture.purchases(
                "erase", "--subscriber", "jane", "--backend", "house", "--with-linked")
            #expect(erased.status == 0, "\(erased.errors)")
            for user in ["ada", "her tablet"] {
                #expect(erased.output.contains("\(Self.installation(user))"))
                #expect(try await fixture.show(user).status == 1)
            }
        }
    }

    @Test("Errors have a message and a status")
    func errors() async throws {
        try await with("apps: [\(Self.app)]") { fixture async throws in
            #expect(try await fixture.purchases("show").status == 64)
            #expect(try await fixture.purchases("show", "--installation", "ada").status == 64)
            #expect(try await fixture.purchases("erase", "--subscriber", "jane").status == 64)
            #expect(
                try await fixture.purchases("erase", "--account", "1", "--subscriber", "2", "--backend", "house").status
                    == 64)
            // A misspelt name must not look like a completed erasure.
            let backend = try await fixture.purchases("erase", "--subscriber", "1", "--backend", "hause")
            #expect(backend.status == 64 && backend.errors.contains("one of the backends house"), "\(backend.errors)")
            let app = try await fixture.purchases("show", "--installation", "ada", "--app", "com.example.dayly")
            #expect(app.status == 64 && app.errors.contains("one of the apps \(Self.app)"), "\(app.errors)")
            let other = try await fixture.show("ada", "--publication", "other")
            #expect(other.status == 78 && other.errors.contains("other has no store"), "\(other.errors)")
        }
    }
}
