import Foundation
import GRDB
import JSON
import StoreFixtures
import TestSupport
import Testing

/// A publisher's folder that sells in the App Store and serves Pugpig, Baker and Basispress apps, with the real program
/// and a fake Apple.
struct StoreSuiteHarness: Sendable {
    static let app = "com.example.daily"
    static let monthly = "com.example.daily.monthly"
    static func month(_ number: Int) -> String { String(format: "com.example.daily.2026-%02d", number) }
    static let free = month(1)
    static let ada = (email: "ada@example.com", password: "analytical engine")

    let folder: URL
    let port: Int
    let http: RawHTTP
    let apple: FakeAppleStore
    /// The authority that signs receipts.
    let authority: ReceiptAuthority
    /// The authority that signs transactions and notifications.
    let signing: SigningAuthority

    var base: String { "http://127.0.0.1:\(port)" }

    private init(in folder: URL, appleAt store: LoopbackStore, _ apple: FakeAppleStore, change: (String) -> String)
        async throws
    {
        self.folder = folder
        self.apple = apple
        port = try FreePort.find()
        http = RawHTTP(port: port)
        authority = try await ReceiptAuthority.shared.value
        signing = try SigningAuthority()
        for name in ["secrets", "state", "editions"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        for name in ["pseudonyms", "daily", "apple"] {
            try await succeed(["secret", "new", "--out", "secrets/\(name)"])
        }
        try Data(authority.rootBytes).write(to: folder.appendingPathComponent("apple-root.cer"))
        try Data(signing.root.der).write(to: folder.appendingPathComponent("apple-root-g3.cer"))
        let text = change(configuration(store))
        try Data(text.utf8).write(to: folder.appendingPathComponent("gatefold.yaml"))
        for number in 1...6 {
            try Data("the archive of month \(number)".utf8)
                .write(to: folder.appendingPathComponent("editions/\(Self.month(number)).hpub"))
        }
        let readers =
            "identifier,password,state,editions\nada@example.com,analytical engine,inactive,\(Self.month(2))\n"
        try Data(readers.utf8).write(to: folder.appendingPathComponent("readers.csv"))
        try await succeed(["subscribers", "import", "readers.csv", "--backend", "house"])
    }

    /// Runs the body with the folder and the fake, without the server.
    ///
    /// - Parameter change: Changes the configuration.
    static func with(
        change: (String) -> String = { $0 }, _ body: (StoreSuiteHarness) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let apple = FakeAppleStore()
            try await LoopbackStore.serving(in: folder, apple.response) { store in
                try await body(try await StoreSuiteHarness(in: folder, appleAt: store, apple, change: change))
            }
        }
    }

    /// Runs the body like `with(change:_:)` with a running server.
    static func served(
        change: (String) -> String = { $0 }, _ body: (StoreSuiteHarness) async throws -> Void
    ) async throws {
        try await with(change: change) { harness in
            try await withServer(harness.launch) { _ in try await body(harness) }
        }
    }

    var launch: ServerProcess.Launch {
        ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(port))
    }

    private func configuration(_ store: LoopbackStore) -> String {
        """
        server: {listen: "127.0.0.1:\(port)", public_url: "\(base)"}
        log: {level: info, format: json}
        state: {path: state/state.sqlite, pseudonym_secret: {file: secrets/pseudonyms}}
        passwords: {cost: 1}
        stores:
          app-store:
            kind: apple
            bundles: [\(Self.app)]
            environments: [production, sandbox]
            roots: [apple-root.cer, apple-root-g3.cer]
            shared_secret: {file: secrets/apple}
            verify_receipt:
              enabled: true
              production: \(store.url)/production
              sandbox: \(store.url)/sandbox
              tls: {root: {file: "\(store.root)"}}
              connect_timeout: 60s
              timeout: 120s
            protection: {deadline: 120s, breaker: {enabled: false}}
        backends:
          house: {kind: sqlite, path: state/house.sqlite}
          receipts: {kind: receipts, publication: daily, stores: [app-store]}
        publications:
          daily:
            backend: house
            credentials: {identifier: email, proofs: [password]}
            policy: issue
            secrets: [{file: secrets/daily}]
            apps: [\(Self.app)]
            stores: [app-store]
            products: {subscriptions: [{product: \(Self.monthly), title: Monthly}]}
            purchases: {max_claims: 3, min_retry_delay: 1s}
            baker: {}
            basispress: {}
            content: {root: editions}
            catalogue:
        \((1...6).map { number in
            "      - {id: \(Self.month(number)), title: Month \(number), cover: \"covers/\(number).png\", "
                + "published: 2026-0\(number)-15\(number == 1 ? ", free: true" : "")}"
        }.joined(separator: "\n"))

        """
    }

    /// Returns the configuration with the web service of a Cloud Softphone app. The target of its deliveries is
    /// unreachable.
    static func withSoftphone(_ configuration: String) -> String {
        configuration.replacing(
            "    baker: {}",
            with: """
                    baker: {}
                    cloud_softphone: {path: /daily/iap, store: apple}
                    deliveries: {kind: webhook, url: "https://127.0.0.1:1/credit", secret: {file: secrets/daily}}
                """)
    }

    @discardableResult
    func succeed(_ arguments: [String]) async throws -> String {
        let run = try await GatefoldProgram.run(arguments, in: folder)
        guard run.status == 0 else { throw Failed(text: "\(arguments): \(run.status) \(run.errors)") }
        return run.output
    }

    struct Failed: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    // MARK: - Receipts

    /// Returns a unified receipt that the authority signed.
    func unified(_ purchases: [TestPayload.Purchase], _ change: (inout TestPayload) -> Void = { _ in }) async throws
        -> String
    {
        var payload = TestPayload(bundle: Self.app, purchases: purchases)
        payload.created = "2026-11-20T10:00:00Z"
        change(&payload)
        return Data(try await authority.sign(payload.bytes)).base64EncodedString()
    }

    /// A subscription for March and April, and a single purchase.
    static let purchases = [
        TestPayload.Purchase(
            product: monthly, transaction: "2001", original: "2001", purchased: "2026-03-01T00:00:00Z",
            expires: "2026-04-01T00:00:00Z"),
        TestPayload.Purchase(
            product: monthly, transaction: "2002", original: "2001", purchased: "2026-04-01T00:00:00Z",
            expires: "2026-05-01T00:00:00Z"),
        TestPayload.Purchase(product: month(6), transaction: "3001", purchased: "2026-07-01T00:00:00Z"),
    ]

    /// Returns a receipt in the iOS 6 format, which only Apple can verify.
    static func single(_ product: String, transaction: String, bundle: String = app) -> String {
        Data(TestTransactionReceipt(bundle: bundle, product: product, transaction: transaction).bytes)
            .base64EncodedString()
    }

    /// Sends a notification about a transaction as Apple.
    ///
    /// - Parameter stranger: An authority that signs instead of Apple.
    func notify(
        _ type: String, of transaction: JSONValue, signedBy stranger: SigningAuthority? = nil
    ) async throws -> RawResponse {
        let signing = stranger ?? signing
        let notification = SignedFormats.notification(
            type, id: UUID().uuidString, transaction: try signing.sign(transaction), signed: .now)
        return try await http.post(
            "/notifications/app-store", [("Content-Type", "application/json")],
            SignedFormats.body(try signing.sign(notification)))
    }

    // MARK: - Clients

    func baker(_ user: String) -> BakerClient {
        BakerClient(BakerClient.Settings(base: base, appID: Self.app, userID: user))
    }

    func signIn() async throws -> String {
        let response = try await http.send(
            "GET", "/daily/sign_in?email=\(Self.ada.email)&password=\(Self.ada.password.formEncoded)")
        return try #require(response.element("token"), "\(response.text)")
    }

    /// Returns the issues that Pugpig lists for a token.
    func issues(token: String) async throws -> Set<String> {
        Set(try await http.send("GET", "/daily/verify_subscription?token=\(token.formEncoded)").elements("issue"))
    }

    /// Returns a column of the state database.
    func texts(_ sql: String) async throws -> [String] {
        let database = try DatabaseQueue(path: folder.appendingPathComponent("state/state.sqlite").path)
        return try await database.read { try String.fetchAll($0, sql: sql) }
    }

    /// Returns a count in the state database.
    ///
    /// - Parameter place: The folder of the database.
    func count(_ sql: String, in place: String = "state") async throws -> Int {
        let database = try DatabaseQueue(path: folder.appendingPathComponent("\(place)/state.sqlite").path)
        return try await database.read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }
}
