import Backends
import Catalogues
import ContentGate
import Deliveries
import EdgeTokens
import FrontDoors
import Gatefold
import State

/// The builder of the serving state of one configuration, publication by publication.
struct PublicationBuilder {
    let parts: ServerServices
    let configuration: GatefoldConfiguration
    let plan: BackendPlan
    let storePlan: StorePlan
    let stores: LiveStoreRegistry
    let backends: LiveBackendRegistry
    let catalogues: LiveCatalogueRegistry
    private var directory = PublicationDirectory()
    private var served: [ServedPublication] = []
    private var gated: [GatePublication] = []
    private var deliveries: [DeliveryPlan] = []

    init(
        parts: ServerServices, configuration: GatefoldConfiguration, plan: BackendPlan, storePlan: StorePlan,
        stores: LiveStoreRegistry, backends: LiveBackendRegistry, catalogues: LiveCatalogueRegistry
    ) {
        self.parts = parts
        self.configuration = configuration
        self.plan = plan
        self.storePlan = storePlan
        self.stores = stores
        self.backends = backends
        self.catalogues = catalogues
    }

    /// - Throws: ``SettingsError`` or ``BootstrapError``.
    mutating func add(_ publication: PublicationConfiguration) throws {
        let id = publication.publication.id
        guard let backend = backends[publication.backend] else { return }
        let tokens = try Bootstrap.tokenCodec(for: publication, in: configuration, random: parts.services.random)
        let authorizationService = try authorizationService(of: publication, backend, tokens)
        directory.byID[id] = authorizationService
        if publication.isDefault { directory.default = authorizationService }
        let feedVerifier =
            publication.publication.issuesFeedPassword
            ? FeedCredentialsVerifier(
                secrets: publication.editionSecrets, tokens: tokens, pseudonymKey: parts.pseudonymKey) : nil
        addGate(of: publication, authorizationService, feedVerifier)
        served.append(served(publication, authorizationService, feedVerifier))
        if let settings = publication.deliveries { deliveries.append(try parts.delivery(of: id, by: settings)) }
    }

    /// Returns the set of all added publications.
    ///
    /// - Throws: ``BootstrapError/gate(cause:)``.
    func finish() throws(BootstrapError) -> ServingState {
        var directory = directory
        // A single publication is the default, so its calls need no name.
        if directory.byID.count == 1 { directory.default = directory.byID.values.first }
        let gate: Gate
        do {
            gate = try Gate(gated, clock: parts.services.clock)
        } catch {
            throw .gate(cause: error.description)
        }
        let publications = ServedPublications(served, directory: directory, publicURL: configuration.publicURL)
        let services = parts.frontDoorServices
        return ServingState(
            directory: directory, gate: gate, backends: backends, configuration: configuration, stores: stores,
            deliveries: deliveries,
            frontDoors: parts.frontDoors.map { $0.snapshot(of: publications, using: services) },
            clients: ClientAddressResolver(trusted: configuration.trustedProxies), catalogues: catalogues,
            push: Dictionary(
                uniqueKeysWithValues: configuration.publications.compactMap { publication in
                    publication.push.map { (publication.publication.id, $0) }
                }))
    }

    private func authorizationService(
        of publication: PublicationConfiguration, _ backend: any SubscriberBackend, _ tokens: any TokenCodec
    ) throws -> AuthorizationService {
        let id = publication.publication.id
        var served = publication.publication
        served.credentialFields.receipts = plan.receiptFields(of: publication.backend)
        if let catalogue = catalogues[id]?.current { served.rule = served.rule.withCatalogue(catalogue) }
        let added = plan.kind(publication.backend)?.edgeTokens() ?? []
        served.edgeToken = JoinedEdgeTokens((served.edgeToken.map { [$0] } ?? []) + added)
        let random = parts.services.random
        return AuthorizationService(
            publication: served, backend: backend, tokens: tokens, editionSecrets: publication.editionSecrets,
            state: parts.sessionStore, revocations: parts.revocations.list(for: id),
            revocationAgeLimit: parts.revocationFreshness.map {
                RevocationAgeLimit($0, maxAge: publication.maxRevocationAge)
            },
            loginThrottle: publication.isTest ? UnlimitedLoginAttempts() : parts.loginThrottle,
            sessions: publication.isTest ? nil : parts.sessions, pseudonymKey: parts.pseudonymKey,
            denials: parts.denials, cachedSignIns: parts.cachedSignIns, clock: parts.services.clock, random: random,
            rejectionJitter: publication.isTest ? .none : RejectionJitter(random: random),
            purchases: try parts.purchaseService(of: publication, storePlan, stores),
            observe: EventReporter(publication: id).report,
            report: CurrentRequest.refuse
        ).recording(in: parts.timeline)
    }

    private mutating func addGate(
        of publication: PublicationConfiguration, _ authorizationService: AuthorizationService,
        _ feedVerifier: FeedCredentialsVerifier?
    ) {
        guard let layout = publication.content else { return }
        let id = publication.publication.id
        gated.append(
            GatePublication(
                id: id, layout: layout,
                verifier: EditionCredentialsVerifier(
                    publication: id, secrets: publication.editionSecrets,
                    acceptsPlainSalts: publication.acceptsPlainSalts,
                    resumeWindow: publication.publication.lifetimes.resumeWindow),
                feedVerifier: feedVerifier, revocations: parts.revocations.list(for: id),
                catalogue: authorizationService.publication.rule.currentCatalogue,
                acceptsDownloadTokens: publication.frontDoors.issuesDownloadTokens))
    }

    /// Returns the publication as front doors serve it.
    private func served(
        _ publication: PublicationConfiguration, _ authorizationService: AuthorizationService,
        _ feedVerifier: FeedCredentialsVerifier?
    ) -> ServedPublication {
        ServedPublication(
            authorizationService, apps: publication.apps, settings: publication.frontDoors,
            tokenSecrets: publication.tokenSecrets,
            revocations: parts.revocations.list(for: publication.publication.id),
            sharedRegistryPublications: sharedRegistryPublications(of: publication), feedVerifier: feedVerifier,
            downloads: publication.content.flatMap { layout in
                configuration.publicURL.map { DownloadSite(publicURL: $0, prefix: layout.prefix) }
            },
            registrationThrottle: publication.isTest ? UnlimitedLoginAttempts() : parts.registrationThrottle)
    }

    /// Returns the revocation lists of the other publications that share a registry with this one.
    private func sharedRegistryPublications(of publication: PublicationConfiguration) -> [RevocationList] {
        let registries = Set(
            plan.family(of: publication.backend).map(\.name).filter {
                (backends[$0] as? any SelfServiceBackend)?.registry != nil
            })
        return configuration.publications.filter { other in
            other.publication.id != publication.publication.id
                && plan.family(of: other.backend).contains { registries.contains($0.name) }
        }.map { parts.revocations.list(for: $0.publication.id) }
    }
}
