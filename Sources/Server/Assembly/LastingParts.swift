import Backends
import Catalogues
import Deliveries
import FrontDoors
import Gatefold
import Protections
import Receipts
import State

/// What outlives a configuration.
struct LastingParts: Sendable {
    let state: SQLiteStateStore
    /// Devices and revocations are found again by what it makes, so it stays what it was at the start.
    let references: ReferenceKey
    let revocations: RevocationLists
    let guesses: any GuessLimiting
    /// Counts registrations and forgotten passwords, apart from sign-ins; no limit for whoever only looks.
    var errands: any GuessLimiting = UnlimitedGuesses()
    /// How many sessions a subscriber opens; nil for no limit.
    var sessions: SessionLimiter?
    var denials = DenialCache()
    var recalled = RecalledSessions()
    let services: BackendServices
    /// Where catalogues are remembered; nil for nowhere.
    var catalogueFolder: String?
    /// Whether what is new is remembered there as well; not by whoever only looks.
    var keepsCatalogues = true
    /// Nil for those that tell nobody anything.
    var catalogueServices: CatalogueServices?
    /// Sends letters to readers; nil where there is no section `mail`, and for whoever only looks.
    var mailer: (any Mailer)?
    /// Tells apps what concerns their accounts; nil where there is no section `notifications`, and for whoever only looks.
    var noticeboard: (any Noticeboard)?
    /// What the front doors for InPlayer's apps share.
    var inPlayer = InPlayerTools()
    /// Told what becomes of purchases.
    let purchaseNews = PurchaseNews()
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
            configuration.publications, folder: catalogueFolder, isWritten: keepsCatalogues,
            services: catalogueServices ?? CatalogueServices(clock: services.clock, random: services.random),
            keeping: before?.catalogues)
        var assembler = PublicationAssembler(
            parts: self, configuration: configuration, plan: plan, storePlan: storePlan, stores: stores,
            backends: backends, catalogues: catalogues)
        for publication in configuration.publications { try assembler.add(publication) }
        return try assembler.finish()
    }
}
