import Foundation
import GRDB
import JSON
import StoreBenches
import TestSupport
import Testing

/// A publisher's folder that sells in the App Store and serves Pugpig, Baker and Basispress apps; the program as it is,
/// and a stand-in for Apple.
struct Kiosk: Sendable {
    static let app = "com.example.daily"
    static let monthly = "com.example.daily.monthly"
    static func month(_ number: Int) -> String { String(format: "com.example.daily.2026-%02d", number) }
    static let free = month(1)
    static let ada = (email: "ada@example.com", password: "analytical engine")

    let folder: URL
    let port: Int
    let http: RawHTTP
    let apple: AppleStandIn
    /// Signs receipts.
    let authority: ReceiptAuthority
    /// Signs transactions and notifications.
    let signing: SigningAuthority

    var base: String { "http://127.0.0.1:\(port)" }

    private init(in folder: URL, appleAt store: LoopbackStore, _ apple: AppleStandIn, change: (String) -> String)
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
        for name in ["references", "daily", "apple"] {
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

    /// - Parameter change: changes the configuration.
    static func with(
        change: (String) -> String = { $0 }, _ body: (Kiosk) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let apple = AppleStandIn()
            try await LoopbackStore.serving(in: folder, apple.answer) { store in
                try await body(try await Kiosk(in: folder, appleAt: store, apple, change: change))
            }
        }
    }

    /// The same, and the server runs.
    static func served(
        change: (String) -> String = { $0 }, _ body: (Kiosk) async throws -> Void
    ) async throws {
        try await with(change: change) { kiosk in
            try await withServer(kiosk.launch) { _ in try await body(kiosk) }
        }
    }

    var launch: ServerProcess.Launch {
        ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(port))
    }

    private func configuration(_ store: LoopbackStore) -> String {
        """
        server: {listen: "127.0.0.1:\(port)", public_url: "\(base)"}
        log: {level: info, format: json}
        state: {path: state/state.sqlite, reference_secret: {file: secrets/references}}
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
            purchases: {claims_at_most: 3, shortest_retry: 1s}
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

    /// The configuration with the web service of a Cloud Softphone app. Nobody is there to take what is delivered.
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

    /// A unified receipt that this Apple signed.
    func unified(_ purchases: [TestPayload.Purchase], _ change: (inout TestPayload) -> Void = { _ in }) async throws
        -> String
    {
        var payload = TestPayload(bundle: Self.app, purchases: purchases)
        payload.created = "2026-11-20T10:00:00Z"
        change(&payload)
        return Data(try await authority.sign(payload.bytes)).base64EncodedString()
    }

    /// A subscription that ran in March and April, and a single purchase.
    static let purchases = [
        TestPayload.Purchase(
            product: monthly, transaction: "2001", original: "2001", purchased: "2026-03-01T00:00:00Z",
            expires: "2026-04-01T00:00:00Z"),
        TestPayload.Purchase(
            product: monthly, transaction: "2002", original: "2001", purchased: "2026-04-01T00:00:00Z",
            expires: "2026-05-01T00:00:00Z"),
        TestPayload.Purchase(product: month(6), transaction: "3001", purchased: "2026-07-01T00:00:00Z"),
    ]

    /// A receipt of iOS 6, which only Apple can verify.
    static func single(_ product: String, transaction: String, bundle: String = app) -> String {
        Data(TestTransactionReceipt(bundle: bundle, product: product, transaction: transaction).bytes)
            .base64EncodedString()
    }

    /// Has Apple tell of a transaction.
    ///
    /// - Parameter stranger: who signs it in Apple's place.
    func notify(
        _ type: String, of transaction: JSONValue, signedBy stranger: SigningAuthority? = nil
    ) async throws -> RawResponse {
        let signing = stranger ?? signing
        let notification = SignedForms.notification(
            type, id: UUID().uuidString, transaction: try signing.sign(transaction), signed: .now)
        return try await http.post(
            "/notifications/app-store", [("Content-Type", "application/json")],
            SignedForms.body(try signing.sign(notification)))
    }

    // MARK: - Clients

    func baker(_ user: String) -> BakerClient {
        BakerClient(BakerClient.Settings(base: base, appID: Self.app, userID: user))
    }

    func signIn() async throws -> String {
        let answer = try await http.send(
            "GET", "/daily/sign_in?email=\(Self.ada.email)&password=\(Self.ada.password.formEncoded)")
        return try #require(answer.element("token"), "\(answer.text)")
    }

    /// What a token's holder may read by Pugpig.
    func issues(token: String) async throws -> Set<String> {
        Set(try await http.send("GET", "/daily/verify_subscription?token=\(token.formEncoded)").elements("issue"))
    }

    /// A column of the state database.
    func texts(_ sql: String) async throws -> [String] {
        let database = try DatabaseQueue(path: folder.appendingPathComponent("state/state.sqlite").path)
        return try await database.read { try String.fetchAll($0, sql: sql) }
    }

    /// A count in the state database.
    ///
    /// - Parameter place: the folder that it is in.
    func count(_ sql: String, in place: String = "state") async throws -> Int {
        let database = try DatabaseQueue(path: folder.appendingPathComponent("\(place)/state.sqlite").path)
        return try await database.read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }
}
