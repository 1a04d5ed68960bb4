import Foundation
import Gatefold
import Settings
import State
import TestSupport
import Testing

@testable import Backends

@Suite("A store's receipt as the way to sign in", .timeLimit(.minutes(10)))
struct ReceiptsBackendTests {
    private static let now = ManualClock().now
    private static let play = StoreName("play")!
    private static let shop = StoreName("app-store")!

    /// What the tests share: two stores, a ledger on disk, and the backend over both.
    private struct Stores: Sendable {
        let apple: ScriptedStore
        let google: ScriptedStore
        let state: SQLiteStateStore
        let services: BackendServices
        let clock = ManualClock()
        let events = Kept<[BackendEvent]>([])

        init(_ folder: URL) throws {
            let (apple, google) = (
                ScriptedStore(shop, kind: .apple) { _ in .genuine([bought("one", in: shop)]) },
                ScriptedStore(play, kind: .google) { _ in .genuine([bought("one", in: play)]) }
            )
            (self.apple, self.google) = (apple, google)
            let state = try SQLiteStateStore(path: folder.appending(path: "state.db").path)
            self.state = state
            let events = events
            services = BackendServices(
                clock: clock.wall, random: .seeded(1),
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 4), concurrency: 1),
                references: ReferenceKey(Secret("a secret for the references")),
                observe: { event in events.withLock { $0.append(event) } },
                stores: [shop: apple, play: google], ledger: state)
        }

        func kind(
            _ more: String = "", fields: String = "{receipt: receipt, signature: signature, user: user}"
        ) throws
            -> any BackendKind
        {
            let section = try YAMLSettings.read(
                text:
                    "kind: receipts\npublication: daily\nstores: [app-store, play]\nfields: \(fields)\n\(more)",
                name: "a.yaml", folder: "/", environment: [:])
            let kind = try BackendRegistry.read(name: "bought", settings: section)
            try section.finish()
            return kind
        }

        func backend(_ more: String = "") throws -> any SubscriberBackend {
            try kind(more).open(services)
        }
    }

    private static func bought(
        _ id: String, in store: StoreName, daysAgo: Double = 10,
        environment: StoreEnvironment = .production
    ) -> StoreTransaction {
        StoreTransaction(
            store: store, id: id, original: id, product: "daily.2026-10",
            purchased: now.addingTimeInterval(-daysAgo * 86_400), environment: environment, told: now)
    }

    private func withBench(_ body: (Stores) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(try Stores($0)) }
    }

    private func credentials(_ fields: [String: String]) throws -> Credentials {
        try #require(
            CredentialFields(
                identifier: "username", proofs: ["password"], receipts: ["receipt", "signature", "user"]
            ).credentials(from: fields))
    }

    private func recognise(_ backend: any SubscriberBackend, _ fields: [String: String]) async throws
        -> Subscriber?
    {
        let answer = try await backend.recognise(try credentials(fields), inquiry: Inquiry())
        if case .recognised(let subscriber) = answer { return subscriber }
        #expect(answer == .notRecognised(message: nil))
        return nil
    }

    @Test("recognises the buyer, who then has what was bought and no subscription of this system's")
    func buyer() async throws {
        try await withBench { bench in
            let backend = try bench.backend()
            let subscriber = try #require(try await recognise(backend, ["receipt": "MIIreceipt"]))
            #expect(subscriber == Subscriber(backend: "bought", key: "app-store/one"))
            let told = try await backend.subscription(of: subscriber, inquiry: Inquiry())
            #expect(told == Subscription(state: .inactive))
            let owner = bench.services.references.owner(subscriber)
            let claimed = try await bench.state.transactions(of: owner, in: [Self.shop])
            #expect(claimed.map(\.id) == ["one"])
            let stranger = Subscriber(backend: "bought", key: "app-store/other")
            #expect(try await backend.subscription(of: stranger, inquiry: Inquiry()).state == .unknown)
        }
    }

    @Test("knows the same person by a later, longer receipt")
    func longer() async throws {
        try await withBench { bench in
            let backend = try bench.backend()
            let first = try await recognise(backend, ["receipt": "MIIfirst"])
            bench.apple.say { _ in
                .genuine([
                    Self.bought("later", in: Self.shop, daysAgo: 1), Self.bought("one", in: Self.shop),
                    Self.bought("also", in: Self.shop, daysAgo: 9),
                ])
            }
            let second = try #require(try await recognise(backend, ["receipt": "MIIsecond"]))
            #expect(second == first)
            let owner = bench.services.references.owner(second)
            let claimed = try await bench.state.transactions(of: owner, in: [Self.shop])
            #expect(Set(claimed.map(\.id)) == ["one", "later", "also"])
        }
    }

    @Test(
        "Pitfall 18: fifty who replay one receipt are one reader, whose devices are limited like any other's"
    )
    func replay() async throws {
        try await withBench { bench in
            let backend = try bench.backend("claims: 1\n")
            let all = try await withThrowingTaskGroup(of: Subscriber?.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await recognise(backend, ["receipt": "MIIreceipt"]) }
                }
                return try await group.reduce(into: Set<Subscriber?>()) { $0.insert($1) }
            }
            #expect(all == [Subscriber(backend: "bought", key: "app-store/one")])
        }
    }

    @Test("Pitfall 18: refuses whom the rule lets no further person claim it")
    func claimed() async throws {
        try await withBench { bench in
            let backend = try bench.backend("claims: 1\n")
            let incoming = IncomingReceipt(
                publication: try #require(PublicationID("daily")), store: Self.shop,
                owner: bench.services.references.owner(installation: "i", of: "a"),
                receipt: StoreReceipt([.receipt: "MIIother"]))
            let record = try await bench.state.keep(incoming, at: Self.now)
            _ = try await bench.state.settle(
                record, proving: [Self.bought("one", in: Self.shop)], claims: .exclusive, delivering: [],
                at: Self.now)
            #expect(try await recognise(backend, ["receipt": "MIIreceipt"]) == nil)
            #expect(bench.events.withLock { $0.last?.detail } == "claimedByAnother")
        }
    }

    @Test("recognises a genuine receipt however many of the same person prove nothing yet")
    func unlimited() async throws {
        try await withBench { bench in
            let backend = try bench.backend()
            let subscriber = Subscriber(backend: "bought", key: "app-store/one")
            func incoming(_ number: Int) throws -> IncomingReceipt {
                IncomingReceipt(
                    publication: try #require(PublicationID("daily")), store: Self.shop,
                    owner: bench.services.references.owner(subscriber),
                    receipt: StoreReceipt([.receipt: "MII\(number)"]))
            }
            for number in 0..<100 { _ = try await bench.state.keep(try incoming(number), at: Self.now) }
            await #expect(throws: ReceiptLimitReached.ofOwner) {
                try await bench.state.keep(try incoming(100), at: Self.now)
            }
            #expect(try await recognise(backend, ["receipt": "MIIreceipt"]) == subscriber)
        }
    }

    @Test("takes back on record what a receipt proved before, when its store refuses it now")
    func takenBack() async throws {
        try await withBench { bench in
            let apple = ScriptedVerifier(Self.shop)
            var services = bench.services
            services.stores = [Self.shop: apple, Self.play: bench.google]
            let backend = try bench.kind().open(services)
            apple.prove(Self.bought("one", in: Self.shop))
            let subscriber = try #require(try await recognise(backend, ["receipt": "MIIreceipt"]))
            apple.refuse(.expired)
            apple.currentBy { [$0.takenBack(at: Self.now)] }
            #expect(try await recognise(backend, ["receipt": "MIIreceipt"]) == nil)
            let owner = services.references.owner(subscriber)
            let known = try await bench.state.transactions(of: owner, in: [Self.shop])
            #expect(known.map(\.revoked) == [Self.now])
            // While the store can not be asked about that, its refusal counts alone.
            apple.breakDown()
            apple.refuse(.expired)
            #expect(try await recognise(backend, ["receipt": "MIIreceipt"]) == nil)
        }
    }

    @Test("shows a receipt to the store whose form it has, and to no other")
    func forms() async throws {
        try await withBench { bench in
            let backend = try bench.backend()
            let data = #"{"orderId":"1"}"#
            for (fields, kind) in [
                (["receipt": "MIIreceipt"], StoreKind.apple),
                (["receipt": data, "signature": "AA=="], .google),
                (["receipt": " \(data)"], .google), (["receipt": data.formEncoded], .google),
            ] {
                let before = (bench.apple.receipts.count, bench.google.receipts.count)
                _ = try await recognise(backend, fields)
                #expect(bench.apple.receipts.count - before.0 == (kind == .apple ? 1 : 0))
                #expect(bench.google.receipts.count - before.1 == (kind == .google ? 1 : 0))
            }
            #expect(bench.google.receipts.first == StoreReceipt([.receipt: data, .signature: "AA=="]))
            let asked = bench.apple.receipts.count + bench.google.receipts.count
            #expect(try await recognise(backend, ["receipt": "r", "user": "an Amazon user"]) == nil)
            #expect(bench.apple.receipts.count + bench.google.receipts.count == asked)
        }
    }

    @Test("Pitfall 9: who can not be asked is not taken for one who refuses, and nothing is written")
    func unavailable() async throws {
        struct Down: Error {}
        try await withBench { bench in
            let backend = try bench.backend()
            bench.apple.say { _ in throw Down() }
            await #expect(throws: Down.self) { try await recognise(backend, ["receipt": "MIIreceipt"]) }
            let owner = bench.services.references.owner(
                Subscriber(backend: "bought", key: "app-store/one"))
            #expect(try await bench.state.transactions(of: owner, in: [Self.shop]).isEmpty)
        }
    }

    @Test(
        "Pitfall 18: sandbox opens nothing in production, and what is refused says why to the log alone"
    )
    func refusals() async throws {
        try await withBench { bench in
            let tested = Self.bought("one", in: Self.shop, environment: .sandbox)
            bench.apple.say { _ in .genuine([tested]) }
            #expect(try await recognise(try bench.backend(), ["receipt": "MII"]) == nil)
            #expect(bench.events.withLock { $0.last?.detail } == "wrongEnvironment")
            let testing = try bench.backend("environments: [production, sandbox]\n")
            #expect(try await recognise(testing, ["receipt": "MII"]) != nil)
            bench.apple.say { _ in .refused(ReceiptRefusal(.forged, code: 21003)) }
            #expect(try await recognise(testing, ["receipt": "MII"]) == nil)
            #expect(bench.events.withLock { $0.last?.detail } == "forged (21003)")
        }
    }

    @Test("stands in a chain with an ordinary system: neither is ever shown what is the other's")
    func chain() async throws {
        try await withBench { bench in
            let typed = ScriptedBackend(name: "readers")
            let section = try YAMLSettings.read(
                text:
                    "kind: chain\nmembers: [{backend: readers, not_recognised: stop}, {backend: bought}]\n",
                name: "a.yaml", folder: "/", environment: [:])
            var patient = ProtectionSettings()
            patient.deadline = 60
            var services = bench.services
            services.members = [
                "readers": typed,
                "bought": ProtectedBackend(try bench.backend(), settings: patient, services: bench.services),
            ]
            let chain = try BackendRegistry.read(name: "all", settings: section).open(services)
            #expect(chain.reads(.typed) && chain.reads(.receipt))
            let ordinary = try await recognise(chain, ["username": "jane", "password": "right"])
            #expect(ordinary == Subscriber(backend: "readers", key: "jane"))
            #expect(try await recognise(chain, ["username": "jane", "password": "wrong"]) == nil)
            #expect(bench.apple.receipts.isEmpty && bench.google.receipts.isEmpty)
            let asked = typed.questions.count
            let buyer = try #require(try await recognise(chain, ["receipt": "MIIreceipt"]))
            #expect(buyer == Subscriber(backend: "bought", key: "app-store/one"))
            #expect(typed.questions.count == asked)
            #expect(try await chain.subscription(of: buyer, inquiry: Inquiry()).state == .inactive)
        }
    }

    @Test("Its settings say what is missing or wrong")
    func settings() async throws {
        try await withBench { bench in
            for (yaml, words) in [
                ("environments: [production, xcode]\n", "xcode"), ("environments: []\n", "environments"),
                ("environments: [moon]\n", "environments"), ("claims: 0\n", "claims"),
                ("surprise: 1\n", "surprise"),
            ] {
                let error = #expect(throws: (any Error).self) { try bench.kind(yaml) }
                #expect("\(error.map { "\($0)" } ?? "")".contains(words), "\(yaml)")
            }
            for fields in [
                "{receipt: product_id}", "{receipt: a, signature: a}", "{signature: s}", "{other: s}",
            ] {
                #expect(throws: SettingsError.self, "\(fields)") { try bench.kind(fields: fields) }
            }
            let kind = try bench.kind()
            #expect(kind.receiptFields == ["receipt", "signature", "user"])
            #expect(kind.stores == [Self.shop, Self.play])
            var services = bench.services
            services.stores = [:]
            #expect(throws: SettingsError.self) { try bench.kind().open(services) }
        }
    }
}
