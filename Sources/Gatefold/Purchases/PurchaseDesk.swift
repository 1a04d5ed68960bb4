import Foundation

/// Takes receipts in and knows what purchases amount to, for one publication and every front door.
///
/// Does no I/O of its own: it asks verifiers and a ledger, and decides.
public struct PurchaseDesk: Sendable {
    public let publication: PublicationID
    public let products: ProductRules
    /// The environments whose purchases count: production, and sandbox only where the publication allows it.
    public let environments: Set<StoreEnvironment>
    public let claims: ClaimRule
    public let limits: ReceiptLimits
    public let times: PurchaseTimes
    let verifiers: [any ReceiptVerifier]
    let ledger: any PurchaseLedger
    let clock: WallClock
    let random: RandomSource
    let observe: @Sendable (PurchaseEvent) -> Void
    let didChange: @Sendable (PurchaseChange) -> Void

    /// - Parameters:
    ///   - verifiers: of the stores the publication sells in.
    ///   - observe: told what happened; must return at once.
    ///   - didChange: told what became of purchases, once that is on record; must return at once.
    public init(
        publication: PublicationID, products: ProductRules, environments: Set<StoreEnvironment> = [.production],
        claims: ClaimRule = ClaimRule(mostPersons: 10), limits: ReceiptLimits = ReceiptLimits(),
        times: PurchaseTimes = PurchaseTimes(), verifiers: [any ReceiptVerifier], ledger: any PurchaseLedger,
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
        self.clock = clock
        self.random = random
        self.observe = observe
        self.didChange = didChange
    }

    public var stores: Set<StoreName> { Set(verifiers.map(\.store)) }

    /// The verifier of a kind of store that sells this app, else the only one of the kind.
    ///
    /// - Parameter app: nil where the front door is not told.
    public func verifier(of kind: StoreKind, app: String? = nil) -> (any ReceiptVerifier)? {
        let all = verifiers.filter { $0.kind == kind }
        guard let app else { return all.first }
        return all.first { $0.sells(app: app) }
    }

    public func verifier(named store: StoreName) -> (any ReceiptVerifier)? { verifiers.first { $0.store == store } }

    /// Whose purchases count here: those of the environments allowed.
    func counting(_ transactions: [StoreTransaction]) -> [StoreTransaction] {
        transactions.filter { environments.contains($0.environment) }
    }

    func keep<Answer: Sendable>(_ change: () async throws -> Answer) async throws -> Answer {
        do {
            return try await change()
        } catch let error as CancellationError where Task.isCancelled {
            // The client is gone: that says nothing about the ledger.
            throw error
        } catch {
            let cause = String(describing: type(of: error))
            observe(.ledgerFailed(cause: cause))
            throw Unavailable(retryAfter: 30, cause: cause)
        }
    }

    /// The error's own words where they are known to hold no secret, else its type alone.
    static func cause(_ error: any Error) -> String {
        (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }
}
