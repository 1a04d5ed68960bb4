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
    private var storefronts: [Storefront] = []
    private var gated: [GatePublication] = []
    private var feeds = FeedDirectory()
    private var softphones: [String: SoftphoneService] = [:]
    private var deliveries: [DeliveryPlan] = []
    private var inPlayer: [InPlayerPublication] = []

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
        addFeed(of: publication, authorizationService, feedVerifier)
        addGate(of: publication, authorizationService, feedVerifier)
        if let storefront = storefront(of: publication, authorizationService) { storefronts.append(storefront) }
        if let settings = publication.cloudSoftphone {
            softphones[settings.path] = SoftphoneService(settings, authorizationService: authorizationService)
        }
        if let front = inPlayer(of: publication, authorizationService) { inPlayer.append(front) }
        if let settings = publication.deliveries { deliveries.append(try parts.delivery(of: id, by: settings)) }
    }

    /// Returns the set of all added publications.
    ///
    /// - Throws: ``BootstrapError/gate(cause:)``.
    func finish() throws(BootstrapError) -> ServingState {
        var directory = directory
        // A single publication is the default, so its calls need no name.
        if directory.byID.count == 1 { directory.default = directory.byID.values.first }
        directory.storefronts = Storefronts(storefronts)
        let gate: Gate
        do {
            gate = try Gate(gated, clock: parts.services.clock)
        } catch {
            throw .gate(cause: error.description)
        }
        return ServingState(
            directory: directory, gate: gate, backends: backends, stores: stores, softphones: softphones,
            deliveries: deliveries,
            inPlayer: InPlayerDirectory(
                inPlayer, default: configuration.publications.first { $0.isDefault }?.publication.id),
            clients: ClientAddressResolver(trusted: configuration.trustedProxies),
            catalogues: catalogues, feeds: feeds,
            notificationKeys: notificationKeys,
            push: Dictionary(
                uniqueKeysWithValues: configuration.publications.compactMap { publication in
                    publication.push.map { (publication.publication.id, $0) }
                }))
    }

    /// The keys by which apps receive notifications, by publication; empty if no notifications are published. The
    /// keys use the settings of the start, because the publisher does too.
    private var notificationKeys: [PublicationID: NotificationKeyIssuer] {
        guard let settings = (parts.notificationPublisher as? MQTTNotificationPublisher)?.settings,
            let endpoint = settings.endpoint
        else {
            return [:]
        }
        return Dictionary(
            uniqueKeysWithValues: configuration.publications.map { publication in
                let id = publication.publication.id
                let keys = NotificationKeyIssuer(
                    publication: id, secrets: publication.tokenSecrets, revocations: parts.revocations.list(for: id),
                    endpoint: endpoint, region: settings.region, random: parts.services.random)
                return (id, keys)
            })
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
            state: parts.state, revocations: parts.revocations.list(for: id),
            loginThrottle: publication.isTest ? UnlimitedLoginAttempts() : parts.loginThrottle,
            sessions: publication.isTest ? nil : parts.sessions, pseudonymKey: parts.pseudonymKey,
            denials: parts.denials, cachedSignIns: parts.cachedSignIns, clock: parts.services.clock, random: random,
            rejectionJitter: publication.isTest ? .none : RejectionJitter(random: random),
            purchases: try parts.purchaseService(of: publication, storePlan, stores),
            observe: EventReporter(publication: id).report)
    }

    private mutating func addFeed(
        of publication: PublicationConfiguration, _ authorizationService: AuthorizationService,
        _ verifier: FeedCredentialsVerifier?
    ) {
        guard let settings = publication.feed else { return }
        let id = publication.publication.id
        let feed = PublicationFeed(
            settings, catalogue: authorizationService.publication.rule.currentCatalogue, verifier: verifier,
            revocations: parts.revocations.list(for: id))
        feeds.byID[id] = feed
        if publication.isDefault || configuration.publications.count == 1 { feeds.default = feed }
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
                acceptsDownloadTokens: publication.storefront != nil || publication.inPlayer != nil))
    }

    /// Returns the InPlayer front door, or nil if no app built on InPlayer's SDKs uses the publication.
    private func inPlayer(
        of publication: PublicationConfiguration, _ authorizationService: AuthorizationService
    ) -> InPlayerPublication? {
        guard let read = publication.inPlayer else { return nil }
        var downloads: DownloadSite?
        if let layout = publication.content, let publicURL = configuration.publicURL {
            downloads = DownloadSite(publicURL: publicURL, prefix: layout.prefix)
        }
        var tools = parts.inPlayer
        tools.notificationPublisher = parts.notificationPublisher
        tools.notificationKeys = notificationKeys[publication.publication.id]
        if let mailer = parts.mailer {
            tools.mail = { emailMessage in
                do {
                    try mailer.send(emailMessage)
                    return true
                } catch {
                    return false
                }
            }
        }
        return InPlayerPublication(
            read.settings, authorizationService: authorizationService, accountStore: parts.state,
            secrets: publication.tokenSecrets,
            issuer: configuration.publicURL ?? "gatefold", passwords: read.passwords,
            resetTokenLifetime: read.resetTokenLifetime, downloads: downloads, tools: tools,
            sharedRegistryPublications: sharedRegistryPublications(of: publication),
            registrationThrottle: publication.isTest ? UnlimitedLoginAttempts() : parts.registrationThrottle,
            ledger: parts.state)
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

    /// Returns the storefront, or nil if no app addresses the publication by the app's own name.
    private func storefront(of publication: PublicationConfiguration, _ authorizationService: AuthorizationService)
        -> Storefront?
    {
        guard let layout = publication.content, let settings = publication.storefront,
            let publicURL = configuration.publicURL
        else { return nil }
        return Storefront(
            authorizationService: authorizationService, apps: publication.apps,
            downloads: DownloadSite(publicURL: publicURL, prefix: layout.prefix), baker: settings.baker,
            servesBasispress: settings.servesBasispress, pushTokens: parts.state,
            observe: EventReporter(publication: publication.publication.id).report)
    }
}
