import Foundation
public import Gatefold
public import Primitives

/// The service that accepts receipts and evaluates purchases, for one publication and every front door.
///
/// The service does no I/O of its own: it queries verifiers and a ledger, and decides.
public struct PurchaseService: PurchaseSource {
    public let publication: PublicationID
    public let products: ProductRules
    /// The environments whose purchases count: production, and sandbox only if the publication allows it.
    public let environments: Set<StoreEnvironment>
    public let claims: ClaimRule
    public let limits: ReceiptLimits
    public let times: ReverificationSchedule
    let verifiers: [any ReceiptVerifier]
    let ledger: any PurchaseLedger
    let lastKnown: LastKnownPurchases
    let clock: WallClock
    let random: RandomSource
    let observe: @Sendable (PurchaseEvent) -> Void
    let didChange: @Sendable (PurchaseChange) -> Void

    /// - Parameters:
    ///   - publication: The identifier of the publication.
    ///   - products: The rules for the publication's products.
    ///   - environments: The environments whose purchases count. Default: production only.
    ///   - claims: The rule for the number of persons that may claim a purchase.
    ///   - limits: The limits on stored receipts.
    ///   - times: The schedule of reverifications.
    ///   - verifiers: The verifiers of the stores that the publication sells in.
    ///   - ledger: The ledger that stores receipts and purchases.
    ///   - clock: The source of the current time.
    ///   - random: The source of randomness.
    ///   - observe: A closure that receives events. It must return immediately.
    ///   - didChange: A closure that receives changes of purchases after they are recorded. It must return immediately.
    public init(
        publication: PublicationID, products: ProductRules, environments: Set<StoreEnvironment> = [.production],
        claims: ClaimRule = ClaimRule(maxPersons: 10), limits: ReceiptLimits = ReceiptLimits(),
        times: ReverificationSchedule = ReverificationSchedule(), verifiers: [any ReceiptVerifier],
        ledger: any PurchaseLedger,
        clock: WallClock = .system, random: RandomSource = .system,
        observe: @escaping @Sendable (PurchaseEvent) -> Void = { _ in },
        didChange: @escaping @Sendable (PurchaseChange) -> Void = { _ in }
    ) {
        self.publication = publication
        self.products = products
        self.environments = environments
        self.claims = claims
        self.limits = limits
        self.times = times
        self.verifiers = verifiers
        self.ledger = ledger
        lastKnown = LastKnownPurchases(clock: clock)
        self.clock = clock
        self.random = random
        self.observe = observe
        self.didChange = didChange
    }

    public var stores: Set<StoreName> { Set(verifiers.map(\.store)) }

    /// Returns the verifier of this kind of store that sells the app.
    ///
    /// - Parameters:
    ///   - kind: The kind of store.
    ///   - app: The app, or nil if the front door does not receive it. Nil selects the first verifier of the kind.
    public func verifier(of kind: StoreKind, app: String? = nil) -> (any ReceiptVerifier)? {
        let all = verifiers.filter { $0.kind == kind }
        guard let app else { return all.first }
        return all.first { $0.sells(app: app) }
    }

    public func verifier(named store: StoreName) -> (any ReceiptVerifier)? { verifiers.first { $0.store == store } }

    /// Returns the transactions that count here: those of the allowed environments.
    func filteredByEnvironment(_ transactions: [StoreTransaction]) -> [StoreTransaction] {
        transactions.filter { environments.contains($0.environment) }
    }

    func persist<Value: Sendable>(_ change: () async throws -> Value) async throws -> Value {
        do {
            return try await change()
        } catch let error as CancellationError where Task.isCancelled {
            // The client disconnected, which says nothing about the ledger.
            throw error
        } catch {
            let cause = String(describing: type(of: error))
            observe(.ledgerFailed(cause: cause))
            throw Unavailable(.stateUnavailable, retryAfter: 30, cause: cause)
        }
    }

    /// Returns the error's own text if it is known to contain no secret, otherwise its type.
    static func cause(_ error: any Error) -> String {
        (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }
}
