import Catalogues
import Commerce
import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import State
import TestSupport

/// A publication with a Baker and a Basispress front door, a gate and an app store, on a router without a socket. The
/// time is 2026-11-01T12:00:00Z.
struct StorefrontHarness: Sendable {
    static let app = "com.example.daily"
    static let url = "https://editions.example.com"
    static let user = "6B8F0E1C-2A3D-4E5F-8A9B-0C1D2E3F4A5B"

    let clock = ManualClock()
    let apps: [String]
    let store: FakeReceiptStore
    let backend = ScriptedBackend()
    let state: SQLStateStore
    let authorizationService: AuthorizationService
    let events = Locked<[StorefrontEvent]>([])
    let catalogue = CurrentCatalogue(Catalogue(editions))
    private let bakerSettings: BakerSettings
    private let gate: Gate

    static let editions = [
        edition("sampler", "2026-07-01", isFree: true), edition("ed-08", "2026-08-01"),
        september,
        edition("ed-10", "2026-10-01"), edition("ed-12", "2026-12-01"),
        Edition(id: EditionID("draft")!, title: "Draft", published: CivilTime.date("2026-09-15")!, isDraft: true),
        Edition(
            id: EditionID("ed-06")!, title: "June", published: CivilTime.date("2026-06-01")!,
            withdrawn: CivilTime.date("2026-10-01")!),
    ]

    /// The edition as a catalogue parses it. A value that no catalogue accepts would prove nothing.
    private static let september: Edition = {
        var item = EditionItem(id: "ed-09")
        item.title = "September"
        item.published = CivilTime.date("2026-09-01T06:30:00Z")
        item.product = "com.example.september"
        item.file = "ed-09/whole issue.hpub"
        item.details = EditionDetails(
            summary: "All about \"September\"", cover: "covers/ed 09.jpg", previews: ["previews/09-1.jpg?v=3"],
            categories: ["News", "Été"], contents: [EditionDetails.ContentsEntry(pages: "4–9", text: "Sport")])
        guard let edition = try? item.edition() else { preconditionFailure("a catalogue rejects the sample edition") }
        return edition
    }()

    private static func edition(_ id: String, _ day: String, isFree: Bool = false) -> Edition {
        Edition(id: EditionID(id)!, title: "The \(id)", published: CivilTime.date(day)!, isFree: isFree)
    }

    init(
        in folder: URL, paths: [BakerCall: PathTemplate] = [:], policy: EntitlementPolicy = .periodBased,
        grace: GraceRules = GraceRules(), limits: ReceiptLimits = ReceiptLimits(), pushTokensPerHour: Int = 1000,
        sells: Bool = true, id: PublicationID = PublicationID("daily")!,
        apps: [String] = [StorefrontHarness.app, "com.example.daily.lite"],
        change: (PurchaseService) -> PurchaseService = { $0 }
    ) throws {
        self.apps = apps
        store = FakeReceiptStore(apps: [apps[0]])
        state = try SQLStateStore(
            path: folder.appending(path: "state.sqlite").path, newPushTokensPerHour: pushTokensPerHour)
        let secrets = SecretRing(current: Secret("a secret of the edition formula"))
        let revocations = RevocationList(publication: id)
        let purchaseService = PurchaseService(
            publication: id,
            products: ProductRules(subscriptions: [
                SubscriptionProduct(pattern: "com.example.monthly", title: "Monthly"),
                SubscriptionProduct(pattern: "com.example.free", term: .forever, title: "Free subscription"),
                SubscriptionProduct(pattern: "com.example.year.*"),
            ]), claims: ClaimRule(maxPersons: 2), limits: limits, verifiers: [store], ledger: state,
            clock: clock.wall)
        authorizationService = AuthorizationService(
            publication: Publication(
                id: id, credentialFields: CredentialFields(identifier: "username", proofs: ["password"]),
                rule: EntitlementRule(policy: policy, grace: grace, catalogue: catalogue)),
            backend: backend,
            tokens: SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(3)),
            editionSecrets: secrets, state: state, revocations: revocations, loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: PseudonymKey(Secret("a secret for pseudonyms")), clock: clock.wall, random: .seeded(5),
            purchases: sells ? change(purchaseService) : nil)
        let content = folder.appending(path: "editions")
        for name in [
            "ed-06.hpub", "ed-08.hpub", "ed-09/whole issue.hpub", "ed-10.hpub", "sampler.hpub", "draft.hpub",
            "covers/ed 09.jpg",
        ] {
            let file = content.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("archive of \(name)".utf8).write(to: file)
        }
        gate = try Gate(
            [
                GatePublication(
                    id: id,
                    layout: try ContentLayout(
                        prefix: "/content/daily/", openPatterns: ["covers/**"], root: content.path),
                    verifier: EditionCredentialsVerifier(
                        publication: id, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 3_600),
                    revocations: revocations, catalogue: catalogue, acceptsDownloadTokens: true)
            ], clock: clock.wall)
        bakerSettings = try BakerSettings(paths: paths)
    }

    /// A storefront for one front door, as the server makes them.
    private var storefront: Storefront {
        Storefront(
            authorizationService: authorizationService, apps: apps,
            downloads: DownloadSite(publicURL: Self.url, prefix: "/content/daily/"), pushTokens: state,
            observe: { [events] event in events.withLock { $0.append(event) } })
    }

    var responder: some HTTPResponder<GatefoldRequestContext> { responder() }

    /// Returns a responder that also serves other publications, which the gate does not know.
    func responder(with others: StorefrontHarness...) -> some HTTPResponder<GatefoldRequestContext> {
        let all = [self] + others
        let directory = PublicationDirectory(
            default: authorizationService,
            byID: Dictionary(
                uniqueKeysWithValues: all.map { ($0.authorizationService.publication.id, $0.authorizationService) }))
        let apps = all.flatMap { one in one.apps.map { ($0, one.authorizationService.publication.id) } }
        let frontDoors: [any FrontDoorSnapshot] = [
            BakerSnapshot(all.map { BakerStorefront($0.storefront, $0.bakerSettings) }), PugpigSnapshot(directory),
            BasispressSnapshot(all.map(\.storefront)),
            LinkingSnapshot(directory, apps: Dictionary(uniqueKeysWithValues: apps)),
        ]
        return RuledResponder(
            table: RouteTable(frontDoors),
            content: ContentResponder(GateEvaluator(gate), files: FileServer(clock: clock.wall)))
    }

    func baker(_ client: any TestClientProtocol, user: String = StorefrontHarness.user, seed: UInt64 = 1) -> BakerClient
    {
        BakerClient(
            BakerClient.Settings(base: Self.url, appID: Self.app, userID: user), transport: AppTransport(client),
            seed: seed)
    }

    func basispress(_ client: any TestClientProtocol) -> BasispressClient {
        BasispressClient(base: Self.url, bundle: Self.app, transport: AppTransport(client))
    }

    func signIn(_ name: String = "ada") async throws -> String {
        guard
            case .signedIn(let token, _, _) = try await authorizationService.signIn(
                CallContext(fields: ["username": name, "password": "right"]))
        else { return "" }
        return token
    }

    var owner: PurchaseOwner { authorizationService.owner(installation: Self.user, of: Self.app) }
}

/// Runs the body with a storefront of its own and a client of its router.
func withStorefrontHarness(
    paths: [BakerCall: PathTemplate] = [:], policy: EntitlementPolicy = .periodBased,
    grace: GraceRules = GraceRules(), limits: ReceiptLimits = ReceiptLimits(), pushTokensPerHour: Int = 1000,
    sells: Bool = true, _ body: @Sendable @escaping (StorefrontHarness, any TestClientProtocol) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let storefrontHarness = try StorefrontHarness(
            in: folder, paths: paths, policy: policy, grace: grace, limits: limits,
            pushTokensPerHour: pushTokensPerHour, sells: sells)
        try await Application(responder: storefrontHarness.responder).test(.router) { client in
            try await body(storefrontHarness, client)
        }
    }
}

/// Runs the body with two publications, `daily` and `weekly`, each with its own paths.
func withTwoStorefrontHarnesses(
    paths daily: [BakerCall: PathTemplate], _ weekly: [BakerCall: PathTemplate],
    _ body: @Sendable @escaping (StorefrontHarness, StorefrontHarness, any TestClientProtocol) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let first = try StorefrontHarness(in: folder, paths: daily)
        let other = folder.appending(path: "weekly")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        let second = try StorefrontHarness(
            in: other, paths: weekly, id: PublicationID("weekly")!, apps: ["com.example.weekly"])
        try await Application(responder: first.responder(with: second)).test(.router) {
            try await body(first, second, $0)
        }
    }
}

extension AppTransport {
    /// Creates a transport to a router that ignores the host of the URL.
    init(_ client: any TestClientProtocol) {
        self.init { request in
            var fields = HTTPFields()
            for (name, value) in request.fields { fields[HTTPField.Name(name)!] = value }
            let response = try await client.execute(
                uri: request.target, method: HTTPRequest.Method(request.method)!, headers: fields,
                body: request.body.isEmpty ? nil : ByteBuffer(bytes: request.body))
            return RawResponse(
                status: response.status.code,
                fields: response.headers.map { (name: $0.name.canonicalName, value: $0.value) },
                body: Array(response.body.readableBytesView))
        }
    }
}

extension TestClientProtocol {
    /// Sends GET, or POST with a body.
    func send(
        _ target: String, _ body: String? = nil, type: String = "application/x-www-form-urlencoded; charset=utf-8",
        method: HTTPRequest.Method? = nil, headers: HTTPFields = [:]
    ) async throws -> TestResponse {
        var headers = headers
        if body != nil { headers[.contentType] = type }
        return try await execute(
            uri: target, method: method ?? (body == nil ? .get : .post), headers: headers,
            body: body.map { ByteBuffer(string: $0) })
    }
}

extension TestResponse {
    var text: String { String(buffer: body) }
}

extension RouteTable {
    /// Creates the table of the front doors' routes.
    convenience init(_ frontDoors: [any FrontDoorSnapshot], clients: RequestClients = RequestClients()) {
        var routes = Routes(clients: clients)
        for frontDoor in frontDoors { frontDoor.addRoutes(to: &routes) }
        self.init(routes)
    }
}
