import Backends
import Catalogues
import Deliveries
import FrontDoors
import Gatefold
import Primitives
import Receipts
import State

/// The parts that outlive a configuration.
struct ServerServices: Sendable {
    let state: any StateStore
    /// The store of sessions that also works while `state` is unavailable; nil for a state without such a store.
    var nodeSessionStore: JournaledSessionStore?
    /// The age of the revocations; nil for a state that is on this machine.
    var revocationFreshness: RevocationFreshness?
    /// The key of the pseudonyms. Devices and revocations are found by their pseudonyms, so the key does not change
    /// after the start.
    let pseudonymKey: PseudonymKey
    let revocations: RevocationLists
    let loginThrottle: any LoginThrottling
    /// The throttle for registrations and forgotten passwords, separate from the login throttle. Unlimited for
    /// read-only commands.
    var registrationThrottle: any LoginThrottling = UnlimitedLoginAttempts()
    /// The limit of sessions that a subscriber opens; nil for no limit.
    var sessions: SessionLimiter?
    var denials = DenialCache()
    var cachedSignIns = CachedSignInSessions()
    let services: BackendServices
    /// The folder of the catalogue cache; nil for no cache on disk.
    var catalogueFolder: String?
    /// A Boolean value that indicates whether new catalogues are written to the cache. False for read-only
    /// commands.
    var persistsCatalogues = true
    /// The services of the catalogues; nil if catalogue events have no receiver.
    var catalogueServices: CatalogueServices?
    /// The sender of e-mail messages to readers; nil without a `mail` section and for read-only commands.
    var mailer: (any Mailer)?
    /// The publisher of account notifications to apps; nil without a `notifications` section and for read-only
    /// commands.
    var notificationPublisher: (any NotificationPublisher)?
    /// The recorder of the events of readers; nil for read-only commands.
    var timeline: TimelineRecorder?
    var frontDoors: [any FrontDoor] = FrontDoorRegistry.standard.make()
    /// The receiver of purchase events.
    let purchaseEventRelay = PurchaseEventRelay()
    /// The signal that a new purchase awaits delivery.
    let deliverySignal = DeliverySignal()

    /// The store of sessions and revocations.
    var sessionStore: any SessionStore { nodeSessionStore ?? state }

    /// Opens the parts that the configuration names.
    ///
    /// - Parameter before: The set in force. Its backends with unchanged settings stay open.
    /// - Throws: ``SettingsError`` or ``BootstrapError``; the new configuration then has no effect.
    func assemble(
        _ configuration: GatefoldConfiguration, reusing before: ServingState? = nil,
        wrapping: (String, any SubscriberBackend) -> any SubscriberBackend = { $1 }
    ) throws -> ServingState {
        let plan = try Bootstrap.plan(configuration)
        let storePlan = try Bootstrap.stores(configuration)
        let stores = try LiveStoreRegistry(
            storePlan, services: StoreServices(clock: services.clock, random: services.random),
            reusing: before?.stores)
        var services = services
        services.stores = stores.verifiers
        services.ledger = state
        let backends = try LiveBackendRegistry(plan, services: services, reusing: before?.backends, wrapping: wrapping)
        let catalogues = try LiveCatalogueRegistry(
            configuration.publications, folder: catalogueFolder, isWritten: persistsCatalogues,
            services: catalogueServices ?? CatalogueServices(clock: services.clock, random: services.random),
            reusing: before?.catalogues)
        var builder = PublicationBuilder(
            parts: self, configuration: configuration, plan: plan, storePlan: storePlan, stores: stores,
            backends: backends, catalogues: catalogues)
        for publication in configuration.publications { try builder.add(publication) }
        return try builder.finish()
    }
}
