public import Gatefold
import Primitives
import Synchronization

/// An in-memory subscriber backend whose readers can register and change their passwords.
public final class InMemorySubscribers: SelfServiceBackend, SubscriberRegistry {
    public struct UnavailableError: Error {}

    private struct Reader {
        let key: String
        var proof: String
        var version: UInt8
    }

    private struct State {
        var readers: [String: Reader] = [:]
        var last = 0
        var down: Set<String> = []
        var beforeSetting: (@Sendable () async throws -> Void)?
        var afterAuthentication: (@Sendable () async throws -> Void)?
        var beforeErasing: (@Sendable () async throws -> Void)?
    }

    public let name: String
    private let isSelfService: Bool
    private let state = Mutex(State())

    public init(name: String = "readers", isSelfService: Bool = true) {
        self.name = name
        self.isSelfService = isSelfService
    }

    public var registry: (any SubscriberRegistry)? { isSelfService ? self : nil }

    public var passwordField: String { "password" }

    /// Makes the registry's calls with these names fail, such as `erase`.
    public func startOutage(_ calls: String...) { state.withLock { $0.down = Set(calls) } }

    /// Runs the work in the next call that sets a password, right before the change.
    public func beforeSetting(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.beforeSetting = work }
    }

    /// Runs the work in the next successful authentication, after the lookup and before the result.
    public func afterAuthentication(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.afterAuthentication = work }
    }

    /// Runs the work in the next call that erases a subscriber, right before the deletion.
    public func beforeErasing(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.beforeErasing = work }
    }

    public var identifiers: [String] { state.withLock { $0.readers.keys.sorted() } }

    private func perform<Value>(_ call: String, _ operation: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            if state.down.contains(call) { throw UnavailableError() }
            return try operation(&state)
        }
    }

    public func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<
        AuthenticationResult
    > {
        let operation = try observe(for: credentials)
        guard case .authenticated = operation else { return Fetched(operation) }
        let work = state.withLock { state in
            defer { state.afterAuthentication = nil }
            return state.afterAuthentication
        }
        try await work?()
        return Fetched(operation)
    }

    private func observe(for credentials: Credentials) throws -> AuthenticationResult {
        try perform("authenticate") { state in
            guard let reader = state.readers[credentials.identifier], let typed = credentials["password"],
                isEqualInConstantTime(Array(typed.utf8), Array(reader.proof.utf8))
            else { return .rejected(message: nil) }
            return .authenticated(Subscriber(backend: name, key: reader.key))
        }
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try perform("subscription") { state in
            let isKnown = state.readers.values.contains { $0.key == subscriber.key }
            return Fetched(Subscription(state: isKnown ? .active : .unknown))
        }
    }

    public func register(identifier: String, password: String) async throws -> Subscriber? {
        try perform("register") { state in
            let folded = CredentialFields.fold(identifier)
            guard state.readers[folded] == nil else { return nil }
            state.last += 1
            let reader = Reader(key: String(state.last), proof: password, version: 1)
            state.readers[folded] = reader
            return Subscriber(backend: name, key: reader.key)
        }
    }

    public func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try perform("subscriber") { state in
            state.readers[CredentialFields.fold(identifier)].map { Subscriber(backend: name, key: $0.key) }
        }
    }

    public func identifier(of subscriber: Subscriber) async throws -> String? {
        try perform("identifier") { state in state.readers.first { $0.value.key == subscriber.key }?.key }
    }

    public func passwordRevision(of subscriber: Subscriber) async throws -> [UInt8]? {
        try perform("passwordMark") { state in
            state.readers.values.first { $0.key == subscriber.key }.map { [$0.version] }
        }
    }

    public func setPassword(_ password: String, of subscriber: Subscriber, replacing revision: [UInt8]) async throws
        -> Bool
    {
        let work = state.withLock { state in
            defer { state.beforeSetting = nil }
            return state.beforeSetting
        }
        try await work?()
        return try perform("setPassword") { state in
            guard let (identifier, reader) = state.readers.first(where: { $0.value.key == subscriber.key }),
                isEqualInConstantTime([reader.version], revision)
            else { return false }
            state.readers[identifier] = Reader(key: reader.key, proof: password, version: reader.version + 1)
            return true
        }
    }

    public func erase(_ subscriber: Subscriber) async throws -> Bool {
        let work = state.withLock { state in
            defer { state.beforeErasing = nil }
            return state.beforeErasing
        }
        try await work?()
        return try perform("erase") { state in
            let before = state.readers.count
            state.readers = state.readers.filter { $0.value.key != subscriber.key }
            return state.readers.count < before
        }
    }

    public func health() async throws {}
}
