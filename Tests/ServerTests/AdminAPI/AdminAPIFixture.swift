import Backends
import Commerce
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Logging
import Primitives
import State
import TestSupport

@testable import AdminAPI
@testable import Server

/// The admin API of a server with two publications, each with a reader, a device, a delivery and a campaign.
struct AdminAPIFixture: Sendable {
    static let daily = PublicationID("daily")!
    static let weekly = PublicationID("weekly")!
    /// A key that every page and export must show as text.
    static let poison = #"<script>alert(1)</script>"'&\#u{202E}"#

    static let configuration = """
        state: {path: state.sqlite, pseudonym_secret: {env: PSEUDONYMS}}
        backends:
          house: {kind: sqlite, path: house.sqlite}
          other: {kind: sqlite, path: other.sqlite}
        publications:
          daily:
            backend: house
            secrets: {env: DAILY}
            catalogue:
              - {id: com.example.daily.1, published: 2020-01-01}
              - {id: com.example.daily.2, published: 2020-02-01}
          weekly: {backend: other, secrets: {env: OTHER}}
        """

    /// The configuration with a remote backend `house` behind a protection, to which nothing connects before a query.
    static let remoteConfiguration = configuration.replacing(
        "{kind: sqlite, path: house.sqlite}",
        with: """

                kind: postgresql
                connection: {hosts: ["127.0.0.1:1"], database: readers, user: gatefold, tls: {mode: disable}}
                queries:
                  authenticate: "SELECT id AS key, password_hash AS password FROM reader WHERE email = :identifier"
                  subscription: "SELECT state FROM reader WHERE id = :key"
                proof: {field: password}
                subscription: {state: {active: [active]}}
            """)

    /// A person of a publication, with what belongs to them.
    struct Person: Sendable {
        let publication: PublicationID
        let subscriber: Subscriber
        let handle: String
        let device: DevicePseudonym
        let delivery: String
    }

    let state: any StateStore
    let key: PseudonymKey
    let services: AdminServices
    let api: AdminAPI<AdminServices>
    let publications: ReloadableSnapshot
    let ada: Person
    let zoe: Person
    /// The lines of the server's log.
    let lines: Locked<[String]>

    /// Passes a fixture to a test.
    static func with(
        _ configuration: String = configuration, throttle: any LoginThrottling = UnlimitedLoginAttempts(),
        wrapping: (String, any SubscriberBackend) -> any SubscriberBackend = { $1 },
        _ test: (AdminAPIFixture) async throws -> Void
    ) async throws {
        try await withParts(configuration, loginThrottle: throttle) { parts, configuration in
            let set = try parts.assemble(configuration, wrapping: wrapping)
            try await test(try await AdminAPIFixture(parts, set))
        }
    }

    private init(_ parts: ServerServices, _ set: ServingState) async throws {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "admin") { label in
            LineLogHandler(label: label, level: .trace, format: .text) { line in lines.withLock { $0.append(line) } }
        }
        self.lines = lines
        state = parts.state
        key = parts.pseudonymKey
        publications = ReloadableSnapshot(set)
        services = AdminServices(
            parts, publications: publications, backends: BackendAdministration(publications), logger: logger)
        api = AdminAPI(AdminOperations.all, services, services.environment(random: .system))
        ada = try await Self.person(Self.daily, "house", Self.poison, services)
        zoe = try await Self.person(Self.weekly, "other", "zoe", services)
    }

    /// Adds a person with a device, a delivery and a campaign of their publication.
    private static func person(
        _ publication: PublicationID, _ backend: String, _ key: String, _ services: AdminServices
    ) async throws -> Person {
        let subscriber = Subscriber(backend: backend, key: key)
        let device = services.key.reference(toDevice: "phone of \(key)")
        let now = Date(timeIntervalSince1970: 1_793_000_000)
        _ = try await services.state.admit(
            device, of: services.key.reference(to: subscriber), in: publication,
            limit: DeviceLimit(maxDevices: 5, onLimit: .evict), at: now)
        let store = StoreName("app-store")!
        let transaction = StoreTransaction(
            store: store, id: "planted-\(publication)", original: "planted-\(publication)", product: "credit",
            purchased: now, environment: .production, reported: now)
        let receipt = try await services.state.persist(
            IncomingReceipt(
                publication: publication, store: store, owner: services.key.owner(subscriber),
                receipt: StoreReceipt([.receipt: key]), credit: nil), at: now)
        let delivery = Delivery(transaction, to: Credit(account: "planted account"), in: publication)
        _ = try await services.state.settle(
            receipt, proving: [transaction], claims: ClaimRule(maxPersons: 10), delivering: [delivery], at: now)
        _ = try await services.state.begin(
            PushCampaign(
                name: "campaign of \(publication)", publication: publication, app: "com.example.app",
                environment: .production, edition: nil, begun: now))
        return Person(
            publication: publication, subscriber: subscriber,
            handle: try ReaderHandle(subscriber, key: services.key).description, device: device,
            delivery: try DeliveryHandle(delivery, key: services.key).description)
    }

    // MARK: - Tokens

    /// Creates a token.
    func token(
        _ role: AdminRole, in publications: Set<PublicationID>? = nil, name: String = "ada", expires: Date? = nil,
        isRevoked: Bool = false
    ) async throws -> String {
        let token = AdminToken()
        let record = AdminTokenRecord(
            digest: token.digest, name: AdminTokenName(name)!, scope: AdminScope(role, in: publications),
            created: Date(), expires: expires)
        try await state.create(record)
        if isRevoked { _ = try await state.revokeAdminToken(record.id, at: Date()) }
        return token.text
    }

    /// Returns the pass of a command for a request.
    func pass(_ target: String, _ body: String) throws -> String {
        try LocalOperatorPass(
            "ada@desk", for: target, LocalOperatorPass.BodyDigest(Array(body.utf8), key: key), at: Date()
        ).sealed(with: key)
    }

    // MARK: - Requests

    struct ReceivedResponse: Sendable {
        let response: AdminResponse
        var status: Int { response.status }
        var text: String { String(decoding: response.body, as: UTF8.self) }
        var json: JSONValue { (try? JSONParser.parse(response.body)) ?? .null }
        /// The end of the type of a problem.
        var problem: String? { json["type"]?.text?.split(separator: ":").last.map(String.init) }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ token: String?, query: String? = nil, body: String? = nil,
        key: String? = UUID().uuidString, type: String = "application/json", from address: String = "192.0.2.1",
        isLocal: Bool = false, isForThisHost: Bool = true, headers: HTTPFields = [:]
    ) async -> ReceivedResponse {
        var fields = headers
        if let token { fields[.authorization] = "Bearer \(token)" }
        if let body, !body.isEmpty { fields[.contentType] = type }
        if let key { fields[.idempotencyKey] = key }
        let bytes = Array((body ?? "").utf8)
        return ReceivedResponse(
            response: await api.respond(
                to: AdminRequest(
                    method: method, path: path, query: query, fields: fields, address: address, isLocal: isLocal,
                    isForThisHost: isForThisHost
                ) { limit in bytes.count <= limit ? bytes : nil }))
    }

    /// Returns the path of an operation for a person.
    func path(_ operation: AdminOperation<AdminServices>, for person: Person) -> String {
        let values = [
            "publication": person.publication.rawValue, "reader": person.handle, "device": person.device.description,
            "delivery": person.delivery, "backend": person.subscriber.backend,
        ]
        return operation.path.parameters.reduce(operation.path.description) { path, name in
            path.replacing("{\(name)}", with: values[name] ?? "missing")
        }
    }

    /// Returns the query of an operation for a person: without one, the audit log shows no person.
    func query(_ operation: AdminOperation<AdminServices>, for person: Person) -> String? {
        operation.audits == .auditShow ? "subject=subscriber:\(key.reference(to: person.subscriber))" : nil
    }

    /// Sends the example of an operation.
    func send(
        _ operation: AdminOperation<AdminServices>, for person: Person, _ token: String?,
        from address: String = "192.0.2.1"
    ) async -> ReceivedResponse {
        await send(
            operation.method, path(operation, for: person), token, query: query(operation, for: person),
            body: operation.body.map { String(decoding: JSONWriter.bytes($0.example), as: UTF8.self) }, from: address)
    }
}
