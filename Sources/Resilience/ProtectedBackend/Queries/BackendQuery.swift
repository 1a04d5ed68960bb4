import Gatefold
import Primitives

/// A query to a backend, with the type of its result.
protocol BackendQuery: Sendable {
    associatedtype Result: Sendable

    /// The name of the query in metrics.
    static var kind: String { get }

    /// Adds every input of the query to its cache key.
    func add(to parts: inout BackendQueryKeys.Parts)

    func send(to backend: ResolvedBackend, _ context: CallContext) async throws -> Result

    /// Returns the queries in progress that have results of this type.
    static func inFlight(_ queries: InFlightQueries) -> Coalescing<InFlightQuery, Result>
}

/// A query whose result may be cached.
protocol CacheableQuery: BackendQuery {
    /// The cache key of a query whose result depends on no request field, or nil if a digest of its inputs is the
    /// key.
    var plainKey: BackendQueryKey? { get }

    /// Returns the metadata of a result in the cache.
    func subject(_ key: BackendQueryKey, of result: Result, in scope: CacheScope) -> BackendResultStore.Subject

    static func stored(_ result: Result) -> StoredResult

    /// Returns the result, or nil if it belongs to another type of query.
    static func result(_ stored: StoredResult) -> Result?
}

/// A cached result of any query.
enum StoredResult: Sendable, Equatable {
    case authentication(AuthenticationResult)
    case subscription(Subscription)
    /// A verdict; `nil` leaves the decision to the subscription.
    case verdict(EditionVerdict?)
}

/// A result with the start of its query, from which its age counts.
struct TimestampedResult<Result: Sendable>: Sendable {
    let result: Result
    let queried: LogicalTimestamp
}

/// The keys under which the results of one backend are cached.
struct CacheScope: Sendable {
    let keys: BackendQueryKeys
    let pseudonymKey: PseudonymKey

    init(backend: String, pseudonymKey: PseudonymKey) {
        keys = BackendQueryKeys(secret: pseudonymKey.digest("questions", [backend]), backend: backend)
        self.pseudonymKey = pseudonymKey
    }

    func group(of subscriber: Subscriber) -> BackendResultStore.Group {
        BackendResultStore.Group(pseudonymKey.reference(to: subscriber))
    }

    func group(ofIdentifier identifier: String) -> BackendResultStore.Group {
        .identifier(keys.identifier(identifier))
    }

    /// Returns a digest of the proofs in typed credentials, or nil for a receipt.
    func proofs(of credentials: Credentials) -> UInt64? {
        credentials.kind == .typed ? keys.proofs(of: credentials) : nil
    }
}
