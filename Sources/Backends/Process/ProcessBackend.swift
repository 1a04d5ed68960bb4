import Gatefold
import PasswordHashing
import Primitives
import SQLAccess

/// A subscriber backend that queries a program of the publisher: one line of JSON in, one line out.
struct ProcessBackend: SigningOutBackend {
    let name: String
    let children: ConnectionPool<ProcessConnection>
    let timeout: Duration
    let mapping: SubscriptionMapping
    /// The rule that verifies the proof, or nil when the program verifies the credentials.
    let proof: ProofRule?
    /// The fields of the request that the program receives.
    let passedFields: Set<String>
    let supportsSignOut: Bool
    let verifier: PasswordVerifier
    let clock: WallClock

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        var typed: [String: String] = [:]
        for field in credentials.names where field != proof?.field { typed[field] = credentials[field] }
        var request = request(.authenticate, context)
        request.identifier = credentials.identifier
        request.credentials = typed
        let found = try await exchange(request) { try $0.found() }
        if let proof {
            let verdict = try await proof.check(credentials, against: found?.stored, with: verifier)
            guard case .right = verdict else {
                let subscriber = found.map { Subscriber(backend: name, key: $0.key) }
                return .rejected(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
            }
        } else if found?.stored != nil {
            throw ProcessFailure.unverifiedStoredPassword
        }
        guard let found else { return .rejected(message: nil) }
        return .authenticated(Subscriber(backend: name, key: found.key, upstreamSession: found.session))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard subscriber.backend == name else { return Fetched(Subscription(state: .unknown)) }
        let record = try await exchange(request(.subscription, about: subscriber, context)) { try $0.record() }
        guard let record else { return Fetched(Subscription(state: .unknown)) }
        return Fetched(try mapping.subscription(from: record, at: clock.now))
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        guard supportsSignOut, subscriber.backend == name else { return }
        try await exchange(request(.signOut, about: subscriber, context)) { _ in }
    }

    func health() async throws {
        try await exchange(ProcessRequest(query: .health)) { _ in }
    }

    private func request(
        _ kind: ProcessRequest.Kind, about subscriber: Subscriber? = nil, _ context: CallContext
    ) -> ProcessRequest {
        var request = ProcessRequest(query: kind)
        request.key = subscriber?.key
        request.session = subscriber?.upstreamSession
        if !passedFields.isEmpty { request.fields = context.fields.filter { passedFields.contains($0.key) } }
        return request
    }

    private func exchange<Value: Sendable>(
        _ request: ProcessRequest, read: @escaping @Sendable (ProcessResponse) throws -> Value
    ) async throws -> Value {
        try await children.use { [timeout] in try $0.exchange(request, timeout: timeout, read: read) }
    }
}
