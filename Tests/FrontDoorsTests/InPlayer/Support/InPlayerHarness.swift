import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JSON
import NIOCore
import Primitives
import State
import TestSupport
import Testing

/// Publications with an InPlayer front door, on a router without a socket. The time is 2026-11-01T12:00:00Z.
struct InPlayerHarness: Sendable {
    struct Mail: Sendable, Equatable {
        let to: String
        let subject: String
        let text: String
    }

    static let merchant = "528b1b80-5868-4abc-a9b6-4d3455d719c8"
    static let otherMerchant = "0a4b36e3-1111-4abc-a9b6-4d3455d719c8"
    static let secret = "a secret of the edition formula"

    let clock: ManualClock
    let backend: RegistryBackend
    let store: FakeReceiptStore
    let state: SQLStateStore
    let front: InPlayerPublication
    let authorizationService: AuthorizationService
    let catalogue: CurrentCatalogue
    let mails: Locked<[Mail]>
    let notifications: Locked<[(topic: String, payload: [UInt8])]>
    /// Changes to purchases of `daily` that were not forwarded yet.
    let changes: Locked<[PurchaseChange]>
    let client: any TestClientProtocol

    struct Options: Sendable {
        var settings: @Sendable (inout InPlayerSettings) -> Void = { _ in }
        var hasMail = true
        var hasRegistry = true
        var hasNotifications = true
        var failsOpen = false
        var loginThrottle: any LoginThrottling = UnlimitedLoginAttempts()
        var secrets = SecretRing(current: Secret(InPlayerHarness.secret))
        var change: @Sendable (inout Publication) -> Void = { _ in }
    }

    private static let editions = [
        edition("ed-09", "2026-09-01", product: "43929_1"), edition("ed-10", "2026-10-01", product: "com.example.ten"),
        edition("sampler", "2026-07-01", isFree: true), edition("ed-12", "2026-12-01", product: "43930_1"),
        Edition(id: EditionID("draft")!, title: "Draft", published: CivilTime.date("2026-09-15")!, isDraft: true),
        Edition(
            id: EditionID("ed-06")!, title: "June", published: CivilTime.date("2026-06-01")!,
            withdrawn: CivilTime.date("2026-10-01")!, product: "43926_7"),
    ]

    private static func edition(
        _ id: String, _ day: String, isFree: Bool = false, product: String? = nil
    ) -> Edition {
        Edition(
            id: EditionID(id)!, title: "The \(id)", published: CivilTime.date(day)!, isFree: isFree, product: product,
            details: EditionDetails(summary: "All about \(id)", cover: "covers/\(id).jpg"))
    }

    static func run(
        _ change: (inout Options) -> Void = { _ in },
        _ body: @Sendable @escaping (InPlayerHarness) async throws -> Void
    ) async throws {
        try await run(change) { harness, _ in try await body(harness) }
    }

    /// Runs the body with a second publication, `weekly`, of another merchant.
    static func run(
        _ change: (inout Options) -> Void = { _ in },
        _ body: @Sendable @escaping (InPlayerHarness, InPlayerPublication) async throws -> Void
    ) async throws {
        var options = Options()
        change(&options)
        let chosen = options
        try await withTemporaryFolder { folder in
            let parts = try Parts(chosen, in: folder)
            let daily = parts.publication("daily", merchant: merchant, secrets: chosen.secrets)
            let weekly = parts.publication(
                "weekly", merchant: otherMerchant, secrets: SecretRing(current: Secret("another secret of the formula"))
            )
            let directory = InPlayerDirectory([daily, weekly], default: PublicationID("daily"))
            let snapshot = InPlayerSnapshot(directory, notifications: NotificationAuthRequest(clock: parts.clock.wall))
            let responder = RuledResponder(
                table: RouteTable(
                    [snapshot], clients: RequestClients(address: { _, _ in ClientAddress("192.0.2.7") })))
            try await Application(responder: responder).test(.router) { client in
                try await body(
                    InPlayerHarness(
                        clock: parts.clock, backend: parts.backend, store: parts.store, state: parts.state,
                        front: daily, authorizationService: daily.authorizationService, catalogue: parts.catalogue,
                        mails: parts.mails,
                        notifications: parts.notifications, changes: parts.changes, client: client), weekly)
            }
        }
    }

    private struct Parts {
        let options: Options
        let clock = ManualClock()
        let backend: RegistryBackend
        let store = FakeReceiptStore(apps: ["com.example.daily"])
        let state: SQLStateStore
        let catalogue = CurrentCatalogue(Catalogue(InPlayerHarness.editions))
        let mails = Locked<[Mail]>([])
        let notifications = Locked<[(topic: String, payload: [UInt8])]>([])
        let changes = Locked<[PurchaseChange]>([])

        init(_ options: Options, in folder: URL) throws {
            self.options = options
            backend = RegistryBackend(hasRegistry: options.hasRegistry)
            state = try SQLStateStore(path: folder.appending(path: "state.sqlite").path)
        }

        func publication(_ name: String, merchant: String, secrets: SecretRing) -> InPlayerPublication {
            let id = PublicationID(name)!
            var publication = Publication(
                id: id, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
                rule: EntitlementRule(policy: .issueBased, catalogue: catalogue), failsOpen: options.failsOpen)
            options.change(&publication)
            let purchaseService = PurchaseService(
                publication: id,
                products: ProductRules(subscriptions: [
                    SubscriptionProduct(pattern: "200_1", title: "Monthly"),
                    SubscriptionProduct(pattern: "200_2", title: "Yearly"),
                    SubscriptionProduct(pattern: "com.example.weekly", title: "Weekly"),
                ]), claims: ClaimRule(maxPersons: 2), verifiers: [store], ledger: state, clock: clock.wall,
                didChange: { [changes] change in
                    if name == "daily" { changes.withLock { $0.append(change) } }
                })
            let authorizationService = AuthorizationService(
                publication: publication, backend: backend,
                tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(3)),
                editionSecrets: secrets, state: state, revocations: RevocationList(publication: id),
                loginThrottle: options.loginThrottle, pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")),
                clock: clock.wall, random: .seeded(UInt64(name.utf8.count)), purchases: purchaseService)
            var settings = InPlayerSettings(merchant: merchant)
            settings.fees = [
                InPlayerFee(
                    product: "200_1", amount: .init("4.99")!, currency: "EUR", text: "A month",
                    term: .init(period: "month"), trial: .init(period: "day", quantity: 14), setupFee: .init("1")!),
                InPlayerFee(product: "43*", amount: .init("2.50")!, currency: "EUR", text: "Single issue"),
            ]
            if name == "daily" { options.settings(&settings) }
            var tools = InPlayerTools(random: .seeded(9))
            tools.codes = PINCodes(
                store: InMemoryPINCodes(), pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")),
                random: .seeded(9))
            if options.hasMail {
                tools.mail = { [mails] emailMessage in
                    mails.withLock {
                        $0.append(Mail(to: emailMessage.to, subject: emailMessage.subject, text: emailMessage.text))
                    }
                    return true
                }
            }
            if options.hasNotifications {
                tools.notificationPublisher = RecordingNotificationPublisher(notifications: notifications)
            }
            return InPlayerPublication(
                settings, authorizationService: authorizationService, accountStore: state, secrets: secrets,
                issuer: "https://editions.example.com",
                downloads: DownloadSite(publicURL: StorefrontHarness.url, prefix: "/content/\(name)/"), tools: tools)
        }
    }

    private struct RecordingNotificationPublisher: NotificationPublisher {
        let notifications: Locked<[(topic: String, payload: [UInt8])]>
        func publish(_ payload: [UInt8], to topic: String) { notifications.withLock { $0.append((topic, payload)) } }
    }
}

/// A response that passed the checks common to all responses.
struct InPlayerTestResponse {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    func json() throws -> JSONValue { try JSONParser.parse(bytes) }

    func decoded<Model: Decodable>(_ type: Model.Type = Model.self) throws -> Model {
        try JSONDecoder().decode(Model.self, from: Data(bytes))
    }
}

extension InPlayerHarness {
    /// Makes a call: GET, or POST with a form.
    @discardableResult
    func call(
        _ path: String, _ form: String? = nil, method: HTTPRequest.Method? = nil, token: String? = nil,
        headers extra: HTTPFields = [:], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> InPlayerTestResponse {
        var headers = extra
        if form != nil, headers[.contentType] == nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        if let token { headers[.authorization] = "Bearer \(token)" }
        let method = method ?? (form == nil ? .get : .post)
        let response = try await client.execute(
            uri: path, method: method, headers: headers, body: form.map { ByteBuffer(string: $0) })
        let result = InPlayerTestResponse(
            status: response.status.code, headers: response.headers, bytes: Array(response.body.readableBytesView))
        if method != .head, method != .options {
            // InPlayer protocol, “Error document”: iOS treats such a body as a failure, whatever the status is.
            #expect(result.headers[.contentType] == "application/json", sourceLocation: sourceLocation)
            #expect(!result.bytes.isEmpty, sourceLocation: sourceLocation)
            if result.status >= 400 { _ = try AppFault(result, sourceLocation: sourceLocation) }
        }
        #expect(result.headers[.cacheControl] == NoCacheHeaders.cacheControl, sourceLocation: sourceLocation)
        #expect(result.status != 403, sourceLocation: sourceLocation)
        return result
    }

    /// Registers and returns the session.
    func register(_ name: String = "ada@example.com", password: String = "right horse") async throws -> AppSession {
        let result = try await call(
            "/accounts",
            "full_name=Ada&username=\(name)&password=\(password)&password_confirmation=\(password)"
                + "&type=consumer&client_id=\(Self.merchant)&grant_type=password&metadata%5Bage%5D=30")
        #expect(result.status == 200, "\(result.text)")
        return try result.decoded()
    }

    func signIn(_ name: String = "ada@example.com", password: String = "right horse") async throws -> AppSession {
        let result = try await call("/accounts/authenticate", signInForm(name, password))
        #expect(result.status == 200, "\(result.text)")
        return try result.decoded()
    }

    func signInForm(_ name: String = "ada@example.com", _ password: String = "right horse") -> String {
        "client_id=\(Self.merchant)&grant_type=password&username=\(name)&password=\(password)"
    }

    func renew(_ token: String) async throws -> InPlayerTestResponse {
        try await call(
            "/accounts/authenticate",
            "client_id=\(Self.merchant)&grant_type=refresh_token&refresh_token=\(token)")
    }

    /// Forwards the pending purchase changes to the accounts concerned.
    func forwardChanges() async throws {
        let all = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        for change in all { try await front.notify(of: change) }
    }

    func reported() throws -> [AppNotification] {
        try notifications.withLock { $0 }.map { try JSONDecoder().decode(AppNotification.self, from: Data($0.payload)) }
    }
}
