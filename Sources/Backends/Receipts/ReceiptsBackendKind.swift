import Commerce
import Foundation
import Gatefold
import Settings

/// App store receipts as credentials, `kind: receipts`.
struct ReceiptsBackendKind: BackendKind {
    static let name = "receipts"

    private let name: String
    private let publication: PublicationID
    private let fields: ReceiptFields
    private let environments: Set<StoreEnvironment>
    private let claims: ClaimRule
    private let storesError: SettingsError
    let stores: [StoreName]

    /// Reads `publication`, `stores`, `fields`, `environments` and `claims`.
    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        let publication = try settings.requiredString("publication", expected: "the name of the publication it is for")
        guard let id = PublicationID(publication) else {
            throw settings.error("publication", expected: "expected the name of a publication")
        }
        self.publication = id
        var stores: [StoreName] = []
        for text in try settings.strings("stores") ?? [] {
            guard let store = StoreName(text), !stores.contains(store) else {
                throw settings.error("stores", expected: "expected different names of stores")
            }
            stores.append(store)
        }
        guard !stores.isEmpty else {
            throw settings.error("stores", expected: "missing; expected a list of names of stores")
        }
        self.stores = stores
        storesError = settings.error("stores", expected: "expected names of stores that are configured, under `stores`")
        fields = try ReceiptFields(settings.section("fields"))
        var environments: Set<StoreEnvironment> = []
        for text in try settings.strings("environments") ?? [StoreEnvironment.production.rawValue] {
            guard let environment = StoreEnvironment(rawValue: text) else {
                let all = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
                throw settings.error("environments", expected: "expected some of \(all)")
            }
            environments.insert(environment)
        }
        guard !environments.isEmpty, !environments.contains(.production) || !environments.contains(where: \.isLocal)
        else {
            throw settings.error(
                "environments", expected: "expected at least one, and xcode and local-testing never beside production")
        }
        self.environments = environments
        claims = ClaimRule(maxPersons: try settings.integer("max_claims", default: 10, in: 1...1000))
    }

    var receiptFields: Set<String> { fields.names }
    var decidesEditions: Bool { false }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let verifiers = stores.compactMap { services.stores[$0] }
        guard let ledger = services.ledger, verifiers.count == stores.count else { throw storesError }
        return ReceiptsBackend(
            name: name, publication: publication, verifiers: verifiers, fields: fields, environments: environments,
            claims: claims, ledger: ledger, pseudonymKey: services.pseudonymKey, clock: services.clock,
            observe: services.observe)
    }
}
