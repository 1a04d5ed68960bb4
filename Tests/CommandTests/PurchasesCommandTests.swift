import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("gatefold purchases", .timeLimit(.minutes(5))) struct PurchasesCommandTests {
    private static let app = "com.example.daily"
    private static let secret = "vS3nq0sYb2uT7kDx"
    private static let references = ReferenceKey(Secret(secret))
    private static let daily = PublicationID("daily")!
    private static let store = StoreName("app-store")!
    private static let bought = Date(timeIntervalSince1970: 1_790_000_000)

    private struct Bench: Sendable {
        let folder: URL
        let port: Int

        /// A connection of its own, closed when it is no longer used, as other processes have.
        var state: SQLiteStateStore {
            get throws { try SQLiteStateStore(path: folder.appending(path: "state/state.sqlite").path) }
        }

        func purchases(_ arguments: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(["purchases"] + arguments, in: folder)
        }

        func show(_ user: String, _ more: String...) async throws -> CommandRun {
            try await GatefoldProgram.run(
                ["purchases", "show", "--installation", user, "--app", app] + more, in: folder)
        }

        /// An installation hands a receipt in that proves this.
        func claim(_ transactions: StoreTransaction..., by owner: PurchaseOwner, receipt: String = "one") async throws {
            let state = try state
            let record = try await state.keep(
                IncomingReceipt(
                    publication: daily, store: store, owner: owner, receipt: StoreReceipt([.receipt: receipt])),
                at: bought)
            _ = try await state.settle(
                record, proving: transactions, claims: ClaimRule(mostPersons: 9), delivering: [], at: bought)
        }
    }

    private static func installation(_ user: String) -> PurchaseOwner { references.owner(installation: user, of: app) }

    private static func transaction(
        _ id: String, _ product: String = "store.b", expires: Date? = nil, revoked: Date? = nil,
        _ environment: StoreEnvironment = .production, told: Date = bought
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: id, product: product, purchased: bought, expires: expires,
            revoked: revoked, environment: environment, told: told)
    }

    private func with(
        _ publication: String = "", backend: String = "{kind: sqlite, path: house.sqlite}",
        environments: String = "production, sandbox", _ body: (Bench) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let port = try FreePort.find()
            let files = [
                "references": Self.secret, "daily": "Kq7wN2vR8tYx4mZp", "other": "Lr8xO3wS9uZy5nAq",
                "shelf.json": """
                [{"name": "b", "title": "B", "date": "2020-02-01 00:00:00", "product_id": "store.b", "url": "b.hpub"},
                 {"name": "a", "title": "A", "date": "2020-01-01 00:00:00", "product_id": "store.a", "url": "a.hpub"}]
                """,
                "gatefold.yaml": """
                server: {listen: "127.0.0.1:\(port)"}
                state: {path: state/state.sqlite, reference_secret: {file: references}}
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
                    catalogue: {kind: baker, path: shelf.json, first_wait: 60s}
                    products: {subscriptions: [{product: store.month}]}
                \(publication.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
                  other: {backend: spare, edition_credentials: {salt: plain}, secrets: [{file: other}]}
                """,
            ]
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "state"), withIntermediateDirectories: true)
            try await body(Bench(folder: folder, port: port))
        }
    }

    /// Lets a server fetch the catalogue, and ends it.
    private func serve(_ bench: Bench) async throws {
        try await withServer(
            ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: bench.folder, until: .port(bench.port))
        ) { _ in }
    }

    @Test("status counts receipts by store and standing")
    func status() async throws {
        try await with { bench async throws in
            _ = try bench.state
            let none = try await bench.purchases("status")
            #expect(none.status == 0 && none.output == "No receipts.\n", "\(none.errors)")
            try await bench.claim(Self.transaction("1"), by: Self.installation("ada"))
            let state = try bench.state
            for (text, moment) in [("waiting", Self.bought + 9), ("refused", Self.bought)] {
                let record = try await state.keep(
                    IncomingReceipt(
                        publication: Self.daily, store: Self.store, owner: Self.installation("ada"),
                        receipt: StoreReceipt([.receipt: text])), at: moment)
                if text == "refused" { try await state.refuse(record, ReceiptRefusal(.forged), at: moment) }
            }
            let all = try await bench.purchases("status")
            #expect(
                all.lines == [
                    "app-store: 1 waiting, 1 proven, 1 refused", "The longest waits since 2026-09-21T14:13:29Z.",
                ], "\(all.output)\(all.errors)")
            let json = try await bench.purchases("status", "--json")
            #expect(
                json.output == """
                    {"publication":"daily","stores":[{"proven":1,"refused":1,"store":"app-store","waiting":1}],\
                    "waitingSince":"2026-09-21T14:13:29Z"}

                    """, "\(json.output)")
            #expect(try await bench.purchases("status", "--publication", "other").output == "No receipts.\n")
        }
    }

    @Test("show tells what somebody bought, and what it opens by the catalogue that a server fetched last")
    func show() async throws {
        try await with { bench async throws in
            _ = try bench.state
            let nobody = try await bench.show("ada")
            #expect(nobody.status == 1 && nobody.output.contains("bought nothing"), "\(nobody.errors)")
            let expires = Date().addingTimeInterval(86_400)
            try await bench.claim(
                Self.transaction("1"), Self.transaction("2", "store.a", .sandbox), by: Self.installation("ada"))
            let before = try await bench.show("ada")
            #expect(before.status == 0)
            #expect(before.lines.last == "Opens: unknown, because no catalogue has been fetched with success")
            try await serve(bench)
            let single = try await bench.show("ada")
            #expect(
                single.lines.dropFirst() == [
                    "  store.b  2026-09-21T14:13:20Z  app-store/1",
                    "  store.a  2026-09-21T14:13:20Z in sandbox  app-store/2", "Subscribed: no", "Opens: b",
                ], "\(single.output)")
            let json = try await bench.show("ada", "--json")
            #expect(json.output.contains(#""editions":["b"],"isSubscribed":false,"linked":[],"opensEverything":false"#))
            // Linked with a subscriber she has what the subscriber bought.
            let jane = Subscriber(backend: "house", key: "jane")
            try await bench.claim(
                Self.transaction("3", "store.month", expires: expires), by: Self.references.owner(jane))
            try await bench.state.link(
                Self.installation("ada"), to: Self.references.owner(jane),
                reference: Self.references.reference(to: jane), in: Self.daily,
                sealed: try Self.references.seal(jane), most: 9, at: Self.bought)
            #expect(try await bench.show("ada").lines.suffix(2) == ["Subscribed: yes", "Opens: b"])
            let subscriber = try await bench.purchases("show", "--subscriber", "jane", "--backend", "house")
            #expect(subscriber.status == 0 && subscriber.output.contains("app-store/1"))
            #expect(subscriber.output.contains("Linked with: \(Self.installation("ada"))"), "\(subscriber.output)")
            #expect(!(single.output + subscriber.output).contains("ada"))
        }
    }

    @Test("show counts for a publication of made-up readers what counts for them: the sandbox")
    func sandbox() async throws {
        try await with(
            "test: true\npolicy: backend", backend: "{kind: test}", environments: "sandbox"
        ) { bench async throws in
            try await serve(bench)
            try await bench.claim(
                Self.transaction("1"), Self.transaction("2", "store.a", .sandbox), by: Self.installation("ada"))
            #expect(try await bench.show("ada").lines.last == "Opens: a")
        }
    }

    @Test("show says everything where the policy opens everything to subscribers")
    func everything() async throws {
        try await with("policy: access") { bench async throws in
            try await serve(bench)
            try await bench.claim(
                Self.transaction("3", "store.month", expires: Date().addingTimeInterval(86_400)),
                by: Self.installation("ada"))
            #expect(try await bench.show("ada").lines.suffix(2) == ["Subscribed: yes", "Opens: everything"])
        }
    }

    @Test("erase forgets somebody, but neither what was delivered nor what the store took back")
    func erase() async throws {
        try await with { bench async throws in
            try await serve(bench)
            let ada = Self.installation("ada")
            let refunded = Self.transaction("1", revoked: Self.bought + 60, told: Self.bought + 60)
            try await bench.claim(Self.transaction("1"), Self.transaction("2", "store.a"), by: ada)
            try await bench.state.note([refunded], at: Self.bought + 60)
            let shown = try await bench.show("ada")
            #expect(shown.output.contains("taken back 2026-09-21T14:14:20Z") && shown.lines.last == "Opens: a")
            let erase = ["erase", "--installation", "ada", "--app", Self.app]
            let first = try await GatefoldProgram.run(["purchases"] + erase, in: bench.folder)
            // Two claims, a receipt, one transaction and its purchase.
            #expect(first.status == 0 && first.output.contains("5 records of owner"), "\(first.output)\(first.errors)")
            let again = try await GatefoldProgram.run(["purchases"] + erase + ["--json"], in: bench.folder)
            #expect(again.status == 1 && again.output.contains(#""removed":0"#))
            #expect(try await bench.show("ada").status == 1)
            #expect(try await bench.purchases("status").output == "No receipts.\n")
            try await bench.claim(
                Self.transaction("1"), Self.transaction("2", "store.a"), by: ada, receipt: "the old one")
            #expect(try await bench.show("ada").lines.last == "Opens: a")
        }
    }

    @Test("erase forgets, where it is asked to, all that are one person")
    func eraseLinked() async throws {
        try await with { bench async throws in
            let jane = Subscriber(backend: "house", key: "jane")
            for (number, user) in ["ada", "her tablet"].enumerated() {
                try await bench.claim(
                    Self.transaction("\(number)"), by: Self.installation(user), receipt: "receipt \(number)")
                try await bench.state.link(
                    Self.installation(user), to: Self.references.owner(jane),
                    reference: Self.references.reference(to: jane), in: Self.daily,
                    sealed: try Self.references.seal(jane), most: 9, at: Self.bought)
            }
            let erased = try await bench.purchases(
                "erase", "--subscriber", "jane", "--backend", "house", "--with-linked")
            #expect(erased.status == 0, "\(erased.errors)")
            for user in ["ada", "her tablet"] {
                #expect(erased.output.contains("\(Self.installation(user))"))
                #expect(try await bench.show(user).status == 1)
            }
        }
    }

    @Test("says what is wrong, by its status, too")
    func errors() async throws {
        try await with("apps: [\(Self.app)]") { bench async throws in
            #expect(try await bench.purchases("show").status == 64)
            #expect(try await bench.purchases("show", "--installation", "ada").status == 64)
            #expect(try await bench.purchases("erase", "--subscriber", "jane").status == 64)
            #expect(
                try await bench.purchases("erase", "--account", "1", "--subscriber", "2", "--backend", "house").status
                    == 64)
            // Whoever misspells one must not take "nothing is known" for an erasure.
            let backend = try await bench.purchases("erase", "--subscriber", "1", "--backend", "hause")
            #expect(backend.status == 64 && backend.errors.contains("one of the backends house"), "\(backend.errors)")
            let app = try await bench.purchases("show", "--installation", "ada", "--app", "com.example.dayly")
            #expect(app.status == 64 && app.errors.contains("one of the apps \(Self.app)"), "\(app.errors)")
            let other = try await bench.show("ada", "--publication", "other")
            #expect(other.status == 78 && other.errors.contains("other sells in no store"), "\(other.errors)")
        }
    }
}
