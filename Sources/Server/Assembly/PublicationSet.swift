import Backends
import Catalogues
import ContentGate
import Deliveries
import Foundation
import FrontDoors
import Gatefold
import Push
import Receipts
import State

/// What one configuration serves: replaced as a whole when the configuration is read again.
struct PublicationSet: Sendable {
    let directory: PublicationDirectory
    let gate: Gate
    let backends: OpenBackends
    var stores = OpenStores()
    /// By their paths.
    var softphones: [String: SoftphoneService] = [:]
    var deliveries: [DeliveryPlan] = []
    let clients: ClientAddressResolver
    /// For so many seconds a revocation can matter.
    let revocationRetention: TimeInterval
    var catalogues = OpenCatalogues()
    var feeds = FeedDirectory()
    /// Of the publications whose apps are told of editions.
    var push: [PublicationID: PushSettings] = [:]

    /// Of the publications that sell in the app stores.
    var desks: [PurchaseDesk] { directory.byID.sorted { $0.key < $1.key }.compactMap(\.value.purchases) }

    /// Of the publications that sell in this one.
    func desks(sellingIn store: StoreName) -> [PurchaseDesk] { desks.filter { $0.stores.contains(store) } }
}

/// What outlives a configuration.
struct LastingParts: Sendable {
    let state: SQLiteStateStore
    /// Devices and revocations are found again by what it makes, so it stays what it was at the start.
    let references: ReferenceKey
    let revocations: RevocationLists
    let guesses: any GuessLimiting
    let refusals = RefusalMemory()
    let services: BackendServices
    /// Where catalogues are remembered; nil for nowhere.
    var catalogueFolder: String?
    /// Nil for those that tell nobody anything.
    var catalogueServices: CatalogueServices?
    /// Rung when something was bought.
    let deliveryBell = DeliveryBell()

    /// Opens what the configuration names.
    ///
    /// - Parameter before: what is in force until now; of its backends those whose settings are the same stay open.
    /// - Throws: ``SettingsError`` or ``AssemblyError``; nothing is then in force.
    func assemble(
        _ configuration: GatefoldConfiguration, keeping before: PublicationSet? = nil,
        interposing: (String, any SubscriberBackend) -> any SubscriberBackend = { $1 }
    ) throws -> PublicationSet {
        let plan = try Assembly.plan(configuration)
        let storePlan = try Assembly.stores(configuration)
        let stores = try OpenStores(
            storePlan, services: StoreServices(clock: services.clock, random: services.random),
            keeping: before?.stores)
        var services = services
        services.stores = stores.verifiers
        services.ledger = state
        let backends = try OpenBackends(plan, services: services, keeping: before?.backends, interposing: interposing)
        let catalogues = try OpenCatalogues(
            configuration.publications, folder: catalogueFolder,
            services: catalogueServices ?? CatalogueServices(clock: services.clock, random: services.random),
            keeping: before?.catalogues)
        var feeds = FeedDirectory()
        var proxies: [PublicationID: PublicationProxy] = [:]
        var gated: [GatePublication] = []
        var standard: PublicationProxy?
        var storefronts: [Storefront] = []
        var softphones: [String: SoftphoneService] = [:]
        var deliveries: [DeliveryPlan] = []
        for publication in configuration.publications {
            let id = publication.publication.id
            guard let backend = backends[publication.backend] else { continue }
            let tokens = try Assembly.tokenCodec(for: publication, in: configuration, random: services.random)
            let ended = revocations.list(for: id)
            let reporter = ProxyEventReporter(publication: id)
            var served = publication.publication
            served.credentialFields.receipts = plan.receiptFields(of: publication.backend)
            let catalogue = catalogues[id]?.current ?? served.rule.currentCatalogue
            served.rule = EntitlementRule(
                policy: served.rule.policy, grace: served.rule.grace, catalogue: catalogue)
            served.edgeTokens += plan.kind(publication.backend)?.edgeTokens() ?? []
            let proxy = PublicationProxy(
                publication: served, backend: backend, tokens: tokens,
                editionSecrets: publication.editionSecrets, state: state, revocations: ended,
                guesses: publication.isTest ? UnlimitedGuesses() : guesses,
                references: references, refusals: refusals, clock: services.clock, random: services.random,
                hesitation: publication.isTest ? .none : Hesitation(random: services.random),
                purchases: try desk(of: publication, storePlan, stores),
                observe: { reporter.report($0) })
            proxies[id] = proxy
            if publication.isDefault { standard = proxy }
            let feedVerifier =
                publication.publication.issuesFeedPassword
                ? FeedCredentialsVerifier(
                    secrets: publication.editionSecrets, tokens: tokens, references: references) : nil
            if let settings = publication.feed {
                feeds.byID[id] = PublicationFeed(
                    settings, catalogue: catalogue, verifier: feedVerifier, revocations: ended)
                if publication.isDefault || configuration.publications.count == 1 { feeds.default = feeds.byID[id] }
            }
            if let settings = publication.cloudSoftphone {
                softphones[settings.path] = SoftphoneService(settings, proxy: proxy)
            }
            if let settings = publication.deliveries { deliveries.append(try self.plan(of: id, settings)) }
            guard let layout = publication.content else { continue }
            if let storefront = storefront(of: publication, proxy, layout, configuration) {
                storefronts.append(storefront)
            }
            gated.append(
                GatePublication(
                    id: id, layout: layout,
                    verifier: EditionCredentialsVerifier(
                        publication: id, secrets: publication.editionSecrets,
                        acceptsPlainSalts: publication.acceptsPlainSalts,
                        resumeWindow: publication.publication.lifetimes.resumeWindow),
                    feedVerifier: feedVerifier, revocations: ended, catalogue: catalogue,
                    acceptsTickets: publication.storefront != nil))
        }
        do {
            if proxies.count == 1 { standard = proxies.values.first }
            return PublicationSet(
                directory: PublicationDirectory(
                    default: standard, byID: proxies, storefronts: Storefronts(storefronts)),
                gate: try Gate(gated, clock: services.clock), backends: backends, stores: stores,
                softphones: softphones, deliveries: deliveries,
                clients: ClientAddressResolver(trusted: configuration.trustedProxies),
                revocationRetention: configuration.revocationRetention, catalogues: catalogues, feeds: feeds,
                push: Dictionary(
                    uniqueKeysWithValues: configuration.publications.compactMap { publication in
                        publication.push.map { (publication.publication.id, $0) }
                    }))
        } catch {
            throw AssemblyError.gate(cause: error.description)
        }
    }

    /// Nil where no app finds the publication by its own name.
    private func storefront(
        of publication: PublicationConfiguration, _ proxy: PublicationProxy, _ layout: ContentLayout,
        _ configuration: GatefoldConfiguration
    ) -> Storefront? {
        guard let settings = publication.storefront, let publicURL = configuration.publicURL else { return nil }
        let reporter = StorefrontEventReporter(publication: publication.publication.id)
        return Storefront(
            proxy: proxy, apps: publication.apps,
            downloads: DownloadSite(publicURL: publicURL, prefix: layout.prefix), baker: settings.baker,
            servesBasispress: settings.servesBasispress, pushTokens: state,
            observe: { reporter.report($0) })
    }

    /// Who delivers what a publication sold.
    private func plan(of id: PublicationID, _ settings: DeliverySettings) throws(AssemblyError) -> DeliveryPlan {
        do {
            let carrier = try settings.open(
                clock: services.clock, random: services.random,
                breakerChanged: { DeliveryEventReporter.report($0, of: id) })
            return DeliveryPlan(publication: id, carrier: carrier, pace: settings.pace)
        } catch {
            throw .deliveries(publication: id, cause: "\(error)")
        }
    }

    /// Where a publication's readers have their purchases; nil where it sells in no store.
    private func desk(
        of publication: PublicationConfiguration, _ plan: StorePlan, _ stores: OpenStores
    ) throws(AssemblyError) -> PurchaseDesk? {
        guard let purchases = publication.purchases else { return nil }
        let id = publication.publication.id
        let reporter = PurchaseEventReporter(publication: id)
        return PurchaseDesk(
            publication: id, products: purchases.products,
            environments: try plan.environments(for: purchases, of: id, isTest: publication.isTest),
            claims: purchases.claims, limits: purchases.limits, times: purchases.times,
            verifiers: purchases.stores.compactMap { stores[$0] }, ledger: state, clock: services.clock,
            observe: { [deliveryBell] event in
                reporter.report(event)
                if case .proven = event { deliveryBell.ring() }
            })
    }
}
