import Gatefold
import Synchronization

@testable import Backends
@testable import Resilience

/// A query that reached the probe.
enum ProbeQuery: Sendable {
    case authenticate(Credentials)
    case subscription(Subscriber)
    case renew(Subscriber)
    case verdict(EditionID?, Subscriber)
    case signOut(Subscriber)
    case health

    /// The name of the query in metrics.
    var kind: String {
        switch self {
        case .authenticate: "authenticate"
        case .subscription: "subscription"
        case .renew: "renew"
        case .verdict: "verdict"
        case .signOut: "sign_out"
        case .health: "health"
        }
    }

    /// The subscriber that the query concerns, if known before the result.
    var subscriber: Subscriber? {
        switch self {
        case .authenticate, .health: nil
        case .subscription(let subscriber), .renew(let subscriber), .signOut(let subscriber),
            .verdict(_, let subscriber):
            subscriber
        }
    }
}

/// The probe's result of a query.
enum ProbeResult: Sendable {
    case authentication(AuthenticationResult)
    case subscription(Subscription)
    case verdict(EditionVerdict?)
    case nothing
}

/// A backend that follows a test's rule and records the queries and their concurrency.
final class ProbeBackend: EditionDecidingBackend, RenewingBackend, SigningOutBackend {
    typealias Rule = @Sendable (ProbeQuery, CallContext) async throws -> ProbeResult

    private struct State {
        var rule: Rule
        var queried: [String] = []
        var contexts: [CallContext] = []
        var present = 0
        var maxConcurrent = 0
    }

    let name = "house"
    private let state: Mutex<State>

    /// Authenticates every identifier with the password `right`, reports an active subscription and grants every
    /// edition.
    init(_ rule: @escaping Rule = ProbeBackend.friendly) {
        state = Mutex(State(rule: rule))
    }

    static let friendly: Rule = { query, _ in
        switch query {
        case .authenticate(let credentials):
            .authentication(
                credentials["password"] == "right"
                    ? .authenticated(Subscriber(backend: "house", key: credentials.identifier))
                    : .rejected(message: nil))
        case .renew(let subscriber): .authentication(.authenticated(subscriber))
        case .subscription: .subscription(Subscription(state: .active, entitlement: .allEditions))
        case .verdict: .verdict(.granted)
        case .signOut, .health: .nothing
        }
    }

    struct UnavailableError: Error {}
    static let down: Rule = { _, _ in throw UnavailableError() }

    func follow(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// The kinds of all queries so far.
    var queried: [String] { state.withLock { $0.queried } }
    var contexts: [CallContext] { state.withLock { $0.contexts } }
    var present: Int { state.withLock { $0.present } }
    /// The maximum number of concurrent queries.
    var maxConcurrent: Int { state.withLock { $0.maxConcurrent } }

    private func result(_ query: ProbeQuery, _ context: CallContext) async throws -> ProbeResult {
        let rule = state.withLock { state in
            state.queried.append(query.kind)
            state.contexts.append(context)
            state.present += 1
            state.maxConcurrent = max(state.maxConcurrent, state.present)
            return state.rule
        }
        defer { state.withLock { $0.present -= 1 } }
        return try await rule(query, context)
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        guard case .authentication(let timestamped) = try await result(.authenticate(credentials), context) else {
            throw UnavailableError()
        }
        return Fetched(timestamped)
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard case .subscription(let timestamped) = try await result(.subscription(subscriber), context) else {
            throw UnavailableError()
        }
        return Fetched(timestamped)
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        guard case .authentication(let timestamped) = try await result(.renew(subscriber), context) else {
            throw UnavailableError()
        }
        return timestamped
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard case .verdict(let timestamped) = try await result(.verdict(edition, subscriber), context) else {
            throw UnavailableError()
        }
        return Fetched(timestamped)
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        _ = try await result(.signOut(subscriber), context)
    }

    func health() async throws {
        _ = try await result(.health, CallContext())
    }
}
