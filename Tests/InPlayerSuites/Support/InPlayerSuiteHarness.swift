import Commerce
import Foundation
import GRDB
import InPlayer
import NIOSSL
import StoreFixtures
import TestSupport
import Testing

/// A publisher's folder whose readers register themselves in an app built on InPlayer's API, served by the real program
/// with a real broker and a real mail server.
struct InPlayerSuiteHarness: Sendable {
    static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    static let app = "com.example.daily"
    static let monthly = "com.example.daily.monthly"
    static func month(_ number: Int) -> String { String(format: "com.example.daily.2026-%02d", number) }
    /// Returns the number of a month's item.
    static func item(_ month: Int) -> Int { 4100 + month }
    static let fee = 7
    static let subscription = 4200

    let folder: URL
    let port: Int
    let mail: MailCatcher
    let broker: Mosquitto
    /// Signs receipts as Apple does.
    let authority: ReceiptAuthority

    var base: String { "http://127.0.0.1:\(port)" }

    /// Runs the body while the program serves.
    static func served(_ body: (InPlayerSuiteHarness) async throws -> Void) async throws {
        try await MailCatcher.with { mail, _ in
            try await Mosquitto.with { broker, _ in
                try await withTemporaryFolder { folder in
                    let newsstand = try await InPlayerSuiteHarness(in: folder, mail, broker)
                    try await withServer(
                        ServerProcess.Launch(GatefoldProgram.path, ["serve"], in: folder, until: .port(newsstand.port))
                    ) { _ in try await body(newsstand) }
                }
            }
        }
    }

    private init(in folder: URL, _ mail: MailCatcher, _ broker: Mosquitto) async throws {
        self.folder = folder
        self.mail = mail
        self.broker = broker
        port = try FreePort.find()
        authority = try await ReceiptAuthority.shared.value
        for name in ["secrets", "state", "editions"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        for name in ["pseudonyms", "daily"] {
            let run = try await GatefoldProgram.run(["secret", "new", "--out", "secrets/\(name)"], in: folder)
            guard run.status == 0 else { throw Failed(text: run.errors) }
        }
        try Data(authority.rootBytes).write(to: folder.appendingPathComponent("apple-root.cer"))
        try Data(configuration.utf8).write(to: folder.appendingPathComponent("gatefold.yaml"))
        for number in 1...6 {
            try Data("the archive of month \(number)".utf8)
                .write(to: folder.appendingPathComponent("editions/\(Self.month(number)).hpub"))
        }
    }

    struct Failed: Error {
        let text: String
    }

    private var configuration: String {
        """
        server: {listen: "127.0.0.1:\(port)", public_url: "\(base)"}
        state: {path: state/state.sqlite, pseudonym_secret: {file: secrets/pseudonyms}}
        passwords: {cost: 1}
        mail: {server: "smtp://127.0.0.1:\(mail.port)", tls: none, from: The Daily <daily@example.com>}
        notifications:
          broker: mqtt://127.0.0.1:\(broker.port)
          endpoint: localhost:\(broker.secureWebSocketPort)
        stores:
          app-store: {kind: apple, bundles: [\(Self.app)], roots: [apple-root.cer]}
        backends:
          house: {kind: sqlite, path: state/house.sqlite, self_service: true}
        publications:
          daily:
            backend: house
            credentials: {identifier: email, proofs: [password]}
            policy: issue
            secrets: [{file: secrets/daily}]
            apps: [\(Self.app)]
            stores: [app-store]
            products: {subscriptions: [{product: \(Self.monthly), title: Monthly}]}
            inplayer:
              merchant: \(Self.merchant)
              register_fields:
                - {name: city, label: City, type: select, options: {london: London, paris: Paris}}
              fees:
                - {product: \(Self.monthly), amount: 9.99, currency: EUR, period: month, quantity: 1}
                - {product: \(Self.app).*, amount: 2.49, currency: EUR}
              numbers:
                - {product: \(Self.monthly), item: \(Self.subscription), fee: 1}
        \((1...6).map { "        - {edition: \(Self.month($0)), item: \(Self.item($0)), fee: \(Self.fee)}" }
            .joined(separator: "\n"))
              social: {facebook: "https://login.example.com/facebook?state={{state}}"}
            content: {root: editions}
            catalogue:
        \((1...6).map { number in
            "      - {id: \(Self.month(number)), title: Month \(number), published: 2026-0\(number)-15"
                + "\(number == 1 ? ", free: true" : "")}"
        }.joined(separator: "\n"))

        """
    }

    // MARK: - Apps

    /// Returns an app on a device.
    func device(
        _ storage: InMemorySessionStorage = InMemorySessionStorage(),
        transport: any InPlayerTransport = HTTPClientTransport()
    ) throws -> InPlayerClient {
        InPlayerClient(
            merchant: InPlayerMerchant(uuid: Self.merchant, referrer: "com.example.app"),
            environment: try #require(InPlayerEnvironment(services: "\(base)/daily")), storage: storage,
            transport: transport)
    }

    static let ada = AccountRegistration(
        fullName: "Ada Lovelace", email: "ada@example.com", password: "analytical engine",
        metadata: ["city": "london"])

    /// Returns a device on which Ada has just registered.
    func registered(_ storage: InMemorySessionStorage = InMemorySessionStorage()) async throws -> InPlayerClient {
        let device = try device(storage)
        try await device.accounts.create(Self.ada)
        return device
    }

    /// Returns another device on which Ada is signed in.
    func signedIn(
        _ password: String = ada.password, _ storage: InMemorySessionStorage = InMemorySessionStorage()
    ) async throws -> InPlayerClient {
        let device = try device(storage)
        try await device.accounts.signIn(Self.ada.email, password: password)
        return device
    }

    /// The settings that make an app trust this broker.
    var notifications: NotificationSettings {
        get throws {
            var settings = NotificationSettings()
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(broker.authority)
            settings.tls = tls
            return settings
        }
    }

    // MARK: - Purchases

    /// Returns a receipt for a product, signed as by Apple.
    func receipt(_ product: String, _ transaction: String, duration: TimeInterval? = nil) async throws
        -> InPlayer.StoreReceipt
    {
        let now = Date().addingTimeInterval(-60)
        let ends = duration.map { now.addingTimeInterval($0).ISO8601Format() } ?? ""
        var payload = TestPayload(
            bundle: Self.app,
            purchases: [
                TestPayload.Purchase(
                    product: product, transaction: transaction, purchased: now.ISO8601Format(), expires: ends)
            ])
        payload.created = now.ISO8601Format()
        return .apple(Data(try await authority.sign(payload.bytes)).base64EncodedString())
    }

    // MARK: - Stored data

    func count(_ sql: String, in file: String) async throws -> Int {
        var settings = GRDB.Configuration()
        settings.readonly = true
        let database = try DatabaseQueue(
            path: folder.appendingPathComponent("state/\(file).sqlite").path, configuration: settings)
        return try await database.read { try Int.fetchOne($0, sql: sql) ?? 0 }
    }

    /// Returns the decoded text of the newest e-mail message, once that number of messages has arrived.
    func emailText(_ count: Int) async throws -> String {
        let message = try #require(try await mail.caught(atLeast: count).last).message
        let unfolded = message.replacing("=\r\n", with: "")
        return unfolded.replacing(/=([0-9A-F]{2})/) { match in
            UInt8(match.1, radix: 16).map { String(UnicodeScalar($0)) } ?? String(match.0)
        }
    }
}

/// Returns the fault of a rejected call.
func fault(
    sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async -> InPlayerFault? {
    let error = await #expect(throws: InPlayerError.self, sourceLocation: sourceLocation) { try await call() }
    guard case .rejected(let fault) = error else {
        Issue.record("\(String(describing: error))", sourceLocation: sourceLocation)
        return nil
    }
    return fault
}

/// Expects that the session has ended.
func expectExpired(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async {
    let error = await #expect(throws: InPlayerError.self, what, sourceLocation: sourceLocation) { try await call() }
    guard case .sessionEnded = error else {
        Issue.record("\(what): \(String(describing: error))", sourceLocation: sourceLocation)
        return
    }
}
