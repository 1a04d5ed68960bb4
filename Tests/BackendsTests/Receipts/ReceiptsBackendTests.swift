import Commerce
import Foundation
import Gatefold
import Primitives
import Settings
import State
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

@Suite("Receipts backend", .timeLimit(.minutes(10)))
struct ReceiptsBackendTests {
    private static let now = ManualClock().now
    private static let play = StoreName("play")!
    private static let shop = StoreName("app-store")!

    /// The shared fixture: two stores, a ledger on disk, and the backend over both.
    private struct Stores: Sendable {
        let apple: ScriptedStore
        let google: ScriptedStore
        let state: SQLStateStore
        let services: BackendServices
        let clock = ManualClock()
        let events = Locked<[BackendEvent]>([])

        init(_ folder: URL) throws {
            let (apple, google) = (
                ScriptedStore(shop, kind: .apple) { _ in .genuine([bought("one", in: shop)]) },
                ScriptedStore(play, kind: .google) { _ in .genuine([bought("one", in: play)]) }
            )
            (self.apple, self.google) = (apple, google)
            let state = try SQLStateStore(path: folder.appending(path: "state.db").path)
            self.state = state
            let events = events
            services = BackendServices(
                clock: clock.wall, random: .seeded(1),
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 4), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")),
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
            purchased: now.addingTimeInterval(-daysAgo * 86_400), environment: environment, reported: now)
    }

    private func withFixture(_ body: (Stores) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(try Stores($0)) }
    }

    private func credentials(_ fields: [String: String]) throws -> Credentials {
        try #require(
            CredentialFields(
                identifier: "username", proofs: ["password"], receipts: ["receipt", "signature", "user"]
            ).credentials(from: fields))
    }

    private func authenticate(_ backend: any SubscriberBackend, _ fields: [String: String]) async throws
        -> Subscriber?
    {
        let response = try await backend.authenticate(try credentials(fields), context: CallContext()).value
        if case .authenticated(let subscriber) = response { return subscriber }
        #expect(response == .rejected(message: nil))
        return nil
    }

    @Test("Authenticates the buyer, who owns the purchase and has no subscription of this system")
    func buyer() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend()
            let subscriber = try #require(try await authenticate(backend, ["receipt": "MIIreceipt"]))
            #expect(subscriber == Subscriber(backend: "bought", key: "app-store/one"))
            let reported = try await backend.subscription(of: subscriber, context: CallContext()).value
            #expect(reported == Subscription(state: .inactive))
            let owner = fixture.services.pseudonymKey.owner(subscriber)
            let claimed = try await fixture.state.transactions(of: owner, in: [Self.shop])
            #expect(claimed.map(\.id) == ["one"])
            let stranger = Subscriber(backend: "bought", key: "app-store/other")
            #expect(try await backend.subscription(of: stranger, context: CallContext()).value.state == .unknown)
        }
    }

    @Test("Authenticates the same person by a later, longer receipt")
    func longer() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend()
            let first = try await authenticate(backend, ["receipt": "MIIfirst"])
            fixture.apple.report { _ in
                .genuine([
                    Self.bought("later", in: Self.shop, daysAgo: 1), Self.bought("one", in: Self.shop),
                    Self.bought("also", in: Self.shop, daysAgo: 9),
                ])
            }
            let second = try #require(try await authenticate(backend, ["receipt": "MIIsecond"]))
            #expect(second == first)
            let owner = fixture.services.pseudonymKey.owner(second)
            let claimed = try await fixture.state.transactions(of: owner, in: [Self.shop])
            #expect(Set(claimed.map(\.id)) == ["one", "later", "also"])
        }
    }

    @Test(
        "Pitfall 18: fifty replays of one receipt are one reader with one device limit"
    )
    func replay() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend("max_claims: 1\n")
            let all = try await withThrowingTaskGroup(of: Subscriber?.self) { group in
                for _ in 0..<50 {
                    group.addTask { try await authenticate(backend, ["receipt": "MIIreceipt"]) }
                }
                return try await group.reduce(into: Set<Subscriber?>()) { $0.insert($1) }
            }
            #expect(all == [Subscriber(backend: "bought", key: "app-store/one")])
        }
    }

    @Test("Pitfall 18: rejects a receipt that another owner has claimed beyond `max_claims`")
    func claimed() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend("max_claims: 1\n")
            let incoming = IncomingReceipt(
                publication: try #require(PublicationID("daily")), store: Self.shop,
                owner: fixture.services.pseudonymKey.owner(installation: "i", of: "a"),
                receipt: StoreReceipt([.receipt: "MIIother"]))
            let record = try await fixture.state.persist(incoming, at: Self.now)
            _ = try await fixture.state.settle(
                record, proving: [Self.bought("one", in: Self.shop)], claims: .exclusive, delivering: [],
                at: Self.now)
            #expect(try await authenticate(backend, ["receipt": "MIIreceipt"]) == nil)
            #expect(fixture.events.withLock { $0.last?.detail } == "claimed_by_another")
        }
    }

    @Test("Authenticates a genuine receipt even if the person's limit of unproven receipts is reached")
    func unlimited() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend()
            let subscriber = Subscriber(backend: "bought", key: "app-store/one")
            func incoming(_ number: Int) throws -> IncomingReceipt {
                IncomingReceipt(
                    publication: try #require(PublicationID("daily")), store: Self.shop,
                    owner: fixture.services.pseudonymKey.owner(subscriber),
                    receipt: StoreReceipt([.receipt: "MII\(number)"]))
            }
            for number in 0..<100 { _ = try await fixture.state.persist(try incoming(number), at: Self.now) }
            await #expect(throws: ReceiptLimitReached.perOwner) {
                try await fixture.state.persist(try incoming(100), at: Self.now)
            }
            #expect(try await authenticate(backend, ["receipt": "MIIreceipt"]) == subscriber)
        }
    }

    @Test("A receipt that its store rejects now revokes the transactions that it proved before")
    func refunded() async throws {
        try await withFixture { fixture in
            let apple = ScriptedVerifier(Self.shop)
            var services = fixture.services
            services.stores = [Self.shop: apple, Self.play: fixture.google]
            let backend = try fixture.kind().open(services)
            apple.verifyPassword(Self.bought("one", in: Self.shop))
            let subscriber = try #require(try await authenticate(backend, ["receipt": "MIIreceipt"]))
            apple.reject(.expired)
            apple.currentBy { [$0.refunded(at: Self.now)] }
            #expect(try await authenticate(backend, ["receipt": "MIIreceipt"]) == nil)
            let owner = services.pseudonymKey.owner(subscriber)
            let known = try await fixture.state.transactions(of: owner, in: [Self.shop])
            #expect(known.map(\.revoked) == [Self.now])
            // While the store cannot report on transactions, the rejection of the receipt still counts.
            apple.startOutage()
            apple.reject(.expired)
            #expect(try await authenticate(backend, ["receipt": "MIIreceipt"]) == nil)
        }
    }

    @Test("A receipt is sent only to the store whose format it has")
    func forms() async throws {
        try await withFixture { fixture in
            let backend = try fixture.backend()
            let data = #"{"orderId":"1"}"#
            for (fields, kind) in [
                (["receipt": "MIIreceipt"], StoreKind.apple),
                (["receipt": data, "signature": "AA=="], .google),
                (["receipt": " \(data)"], .google), (["receipt": data.formEncoded], .google),
            ] {
                let before = (fixture.apple.receipts.count, fixture.google.receipts.count)
                _ = try await authenticate(backend, fields)
                #expect(fixture.apple.receipts.count - before.0 == (kind == .apple ? 1 : 0))
                #expect(fixture.google.receipts.count - before.1 == (kind == .google ? 1 : 0))
            }
            #expect(fixture.google.receipts.first == StoreReceipt([.receipt: data, .signature: "AA=="]))
            let queried = fixture.apple.receipts.count + fixture.google.receipts.count
            #expect(try await authenticate(backend, ["receipt": "r", "user": "an Amazon user"]) == nil)
            #expect(fixture.apple.receipts.count + fixture.google.receipts.count == queried)
        }
    }

    @Test("Pitfall 9: an unavailable store is an error, not a rejection, and nothing is recorded")
    func unavailable() async throws {
        struct UnavailableError: Error {}
        try await withFixture { fixture in
            let backend = try fixture.backend()
            fixture.apple.report { _ in throw UnavailableError() }
            await #expect(throws: UnavailableError.self) { try await authenticate(backend, ["receipt": "MIIreceipt"]) }
            let owner = fixture.services.pseudonymKey.owner(
                Subscriber(backend: "bought", key: "app-store/one"))
            #expect(try await fixture.state.transactions(of: owner, in: [Self.shop]).isEmpty)
        }
    }

    @Test(
        "Pitfall 18: sandbox receipts are rejected in production, and the reason is only logged"
    )
    func rejections() async throws {
        try await withFixture { fixture in
            let tested = Self.bought("one", in: Self.shop, environment: .sandbox)
            fixture.apple.report { _ in .genuine([tested]) }
            #expect(try await authenticate(try fixture.backend(), ["receipt": "MII"]) == nil)
            #expect(fixture.events.withLock { $0.last?.detail } == "wrong_environment")
            let testing = try fixture.backend("environments: [production, sandbox]\n")
            #expect(try await authenticate(testing, ["receipt": "MII"]) != nil)
            fixture.apple.report { _ in .rejected(ReceiptRejection(.forged, code: 21003)) }
            #expect(try await authenticate(testing, ["receipt": "MII"]) == nil)
            #expect(fixture.events.withLock { $0.last?.detail } == "forged (21003)")
        }
    }

    @Test("In a chain with an ordinary system, neither member receives the other's credentials")
    func chain() async throws {
        try await withFixture { fixture in
            let typed = ScriptedBackend(name: "readers")
            let section = try YAMLSettings.read(
                text:
                    "kind: chain\nmembers: [{backend: readers, rejected: stop}, {backend: bought}]\n",
                name: "a.yaml", folder: "/", environment: [:])
            var extended = ProtectionSettings()
            extended.deadline = 60
            var services = fixture.services
            services.members = [
                "readers": typed,
                "bought": ProtectedBackend(try fixture.backend(), settings: extended, services: fixture.services),
            ]
            let chain = try BackendRegistry.read(name: "all", settings: section).open(services)
            #expect(chain.resolved.accepts(.typed) && chain.resolved.accepts(.receipt))
            let ordinary = try await authenticate(chain, ["username": "jane", "password": "right"])
            #expect(ordinary == Subscriber(backend: "readers", key: "jane"))
            #expect(try await authenticate(chain, ["username": "jane", "password": "wrong"]) == nil)
            #expect(fixture.apple.receipts.isEmpty && fixture.google.receipts.isEmpty)
            let queried = typed.queries.count
            let buyer = try #require(try await authenticate(chain, ["receipt": "MIIreceipt"]))
            #expect(buyer == Subscriber(backend: "bought", key: "app-store/one"))
            #expect(typed.queries.count == queried)
            #expect(try await chain.subscription(of: buyer, context: CallContext()).value.state == .inactive)
        }
    }

    @Test("An invalid or missing setting is reported")
    func settings() async throws {
        try await withFixture { fixture in
            for (yaml, message) in [
                ("environments: [production, xcode]\n", "xcode"), ("environments: []\n", "environments"),
                ("environments: [moon]\n", "environments"), ("max_claims: 0\n", "max_claims"),
                ("surprise: 1\n", "surprise"),
            ] {
                let error = #expect(throws: (any Error).self) { try fixture.kind(yaml) }
                #expect("\(error.map { "\($0)" } ?? "")".contains(message), "\(yaml)")
            }
            for fields in [
                "{receipt: product_id}", "{receipt: a, signature: a}", "{signature: s}", "{other: s}",
            ] {
                #expect(throws: SettingsError.self, "\(fields)") { try fixture.kind(fields: fields) }
            }
            let kind = try fixture.kind()
            #expect(kind.receiptFields == ["receipt", "signature", "user"])
            #expect(kind.stores == [Self.shop, Self.play])
            var services = fixture.services
            services.stores = [:]
            #expect(throws: SettingsError.self) { try fixture.kind().open(services) }
        }
    }
}
