import Backends
import Catalogues
import ContentGate
import Deliveries
import FrontDoors
import Gatefold
import State

/// Makes what one configuration serves, publication by publication.
struct PublicationAssembler {
    let parts: LastingParts
    let configuration: GatefoldConfiguration
    let plan: BackendPlan
    let storePlan: StorePlan
    let stores: OpenStores
    let backends: OpenBackends
    let catalogues: OpenCatalogues
    private var directory = PublicationDirectory()
    private var storefronts: [Storefront] = []
    private var gated: [GatePublication] = []
    private var feeds = FeedDirectory()
    private var softphones: [String: SoftphoneService] = [:]
    private var deliveries: [DeliveryPlan] = []
    private var inPlayer: [InPlayerPublication] = []

    init(
        parts: LastingParts, configuration: GatefoldConfiguration, plan: BackendPlan, storePlan: StorePlan,
        stores: OpenStores, backends: OpenBackends, catalogues: OpenCatalogues
    ) {
        self.parts = parts
        self.configuration = configuration
        self.plan = plan
        self.storePlan = storePlan
        self.stores = stores
        self.backends = backends
        self.catalogues = catalogues
    }

    /// - Throws: ``SettingsError`` or ``AssemblyError``.
    mutating func add(_ publication: PublicationConfiguration) throws {
        let id = publication.publication.id
        guard let backend = backends[publication.backend] else { return }
        let tokens = try Assembly.tokenCodec(for: publication, in: configuration, random: parts.services.random)
        let proxy = try proxy(of: publication, backend, tokens)
        directory.byID[id] = proxy
        if publication.isDefault { directory.default = proxy }
        let feedVerifier =
            publication.publication.issuesFeedPassword
            ? FeedCredentialsVerifier(
                secrets: publication.editionSecrets, tokens: tokens, references: parts.references) : nil
        addFeed(of: publication, proxy, feedVerifier)
        addGate(of: publication, proxy, feedVerifier)
        if let storefront = storefront(of: publication, proxy) { storefronts.append(storefront) }
        if let settings = publication.cloudSoftphone {
            softphones[settings.path] = SoftphoneService(settings, proxy: proxy)
        }
        if let front = inPlayer(of: publication, proxy) { inPlayer.append(front) }
        if let settings = publication.deliveries { deliveries.append(try parts.delivery(of: id, by: settings)) }
    }

    /// What all publications together are.
    ///
    /// - Throws: ``AssemblyError/gate(cause:)``.
    func finish() throws(AssemblyError) -> PublicationSet {
        var directory = directory
        // The only one needs no name.
        if directory.byID.count == 1 { directory.default = directory.byID.values.first }
        directory.storefronts = Storefronts(storefronts)
        let gate: Gate
        do {
            gate = try Gate(gated, clock: parts.services.clock)
        } catch {
            throw .gate(cause: error.description)
        }
        return PublicationSet(
            directory: directory, gate: gate, backends: backends, stores: stores, softphones: softphones,
            deliveries: deliveries,
            inPlayer: InPlayerDirectory(
                inPlayer, default: configuration.publications.first { $0.isDefault }?.publication.id),
            clients: ClientAddressResolver(trusted: configuration.trustedProxies),
            catalogues: catalogues, feeds: feeds,
            noticeKeys: noticeKeys,
            push: Dictionary(
                uniqueKeysWithValues: configuration.publications.compactMap { publication in
                    publication.push.map { (publication.publication.id, $0) }
                }))
    }

    /// By which the apps of each publication hear notices; none where they are told none. Made by the settings of the start, as
    /// what tells them is.
    private var noticeKeys: [PublicationID: NoticeKeys] {
        guard let settings = (parts.noticeboard as? NoticePublisher)?.settings, let endpoint = settings.endpoint else {
            return [:]
        }
        return Dictionary(
            uniqueKeysWithValues: configuration.publications.map { publication in
                let id = publication.publication.id
                let keys = NoticeKeys(
                    publication: id, secrets: publication.tokenSecrets, revocations: parts.revocations.list(for: id),
                    endpoint: endpoint, region: settings.region, random: parts.services.random)
                return (id, keys)
            })
    }

    private func proxy(
        of publication: PublicationConfiguration, _ backend: any SubscriberBackend, _ tokens: any TokenCodec
    ) throws -> PublicationProxy {
        let id = publication.publication.id
        var served = publication.publication
        served.credentialFields.receipts = plan.receiptFields(of: publication.backend)
        if let catalogue = catalogues[id]?.current { served.rule = served.rule.over(catalogue) }
        served.edgeTokens += plan.kind(publication.backend)?.edgeTokens() ?? []
        let random = parts.services.random
        let reporter = ProxyEventReporter(publication: id)
        return PublicationProxy(
            publication: served, backend: backend, tokens: tokens, editionSecrets: publication.editionSecrets,
            state: parts.state, revocations: parts.revocations.list(for: id),
            guesses: publication.isTest ? UnlimitedGuesses() : parts.guesses,
            sessions: publication.isTest ? nil : parts.sessions, references: parts.references,
            denials: parts.denials, recalled: parts.recalled, clock: parts.services.clock, random: random,
            hesitation: publication.isTest ? .none : Hesitation(random: random),
            purchases: try parts.desk(of: publication, storePlan, stores), observe: { reporter.report($0) })
    }

    private mutating func addFeed(
        of publication: PublicationConfiguration, _ proxy: PublicationProxy, _ verifier: FeedCredentialsVerifier?
    ) {
        guard let settings = publication.feed else { return }
        let id = publication.publication.id
        let feed = PublicationFeed(
            settings, catalogue: proxy.publication.rule.currentCatalogue, verifier: verifier,
            revocations: parts.revocations.list(for: id))
        feeds.byID[id] = feed
        if publication.isDefault || configuration.publications.count == 1 { feeds.default = feed }
    }

    private mutating func addGate(
        of publication: PublicationConfiguration, _ proxy: PublicationProxy, _ feedVerifier: FeedCredentialsVerifier?
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
                catalogue: proxy.publication.rule.currentCatalogue,
                acceptsTickets: publication.storefront != nil || publication.inPlayer != nil))
    }

    /// Nil where no app built on InPlayer's SDKs calls.
    private func inPlayer(
        of publication: PublicationConfiguration, _ proxy: PublicationProxy
    ) -> InPlayerPublication? {
        guard let read = publication.inPlayer else { return nil }
        var downloads: DownloadSite?
        if let layout = publication.content, let publicURL = configuration.publicURL {
            downloads = DownloadSite(publicURL: publicURL, prefix: layout.prefix)
        }
        var tools = parts.inPlayer
        tools.noticeboard = parts.noticeboard
        tools.noticeKeys = noticeKeys[publication.publication.id]
        if let mailer = parts.mailer {
            tools.mail = { letter in
                do {
                    try mailer.send(letter)
                    return true
                } catch {
                    return false
                }
            }
        }
        return InPlayerPublication(
            read.settings, proxy: proxy, book: parts.state, secrets: publication.tokenSecrets,
            issuer: configuration.publicURL ?? "gatefold", passwords: read.passwords,
            ticketLifetime: read.ticketLifetime, downloads: downloads, tools: tools,
            siblings: siblings(of: publication), errands: publication.isTest ? UnlimitedGuesses() : parts.errands,
            ledger: parts.state)
    }

    /// The revocations of the other publications whose readers have their passwords in the same place.
    private func siblings(of publication: PublicationConfiguration) -> [RevocationList] {
        let registries = Set(
            plan.family(of: publication.backend).map(\.name).filter { backends[$0]?.registry != nil })
        return configuration.publications.filter { other in
            other.publication.id != publication.publication.id
                && plan.family(of: other.backend).contains { registries.contains($0.name) }
        }.map { parts.revocations.list(for: $0.publication.id) }
    }

    /// Nil where no app finds the publication by its own name.
    private func storefront(of publication: PublicationConfiguration, _ proxy: PublicationProxy) -> Storefront? {
        guard let layout = publication.content, let settings = publication.storefront,
            let publicURL = configuration.publicURL
        else { return nil }
        let reporter = StorefrontEventReporter(publication: publication.publication.id)
        return Storefront(
            proxy: proxy, apps: publication.apps,
            downloads: DownloadSite(publicURL: publicURL, prefix: layout.prefix), baker: settings.baker,
            servesBasispress: settings.servesBasispress, pushTokens: parts.state, observe: { reporter.report($0) })
    }
}
