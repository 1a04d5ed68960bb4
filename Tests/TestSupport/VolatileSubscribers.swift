public import Gatefold
import Synchronization

/// A subscriber system whose readers register and change their passwords by themselves; it forgets everybody when the test
/// ends.
public final class VolatileSubscribers: SubscriberBackend, SubscriberRegistry {
    public struct Down: Error {}

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

    /// The registry's calls of these names fail from now on, such as `erase`.
    public func breakDown(_ calls: String...) { state.withLock { $0.down = Set(calls) } }

    /// Done by the next call that sets a password, right before it does.
    public func beforeSetting(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.beforeSetting = work }
    }

    public var identifiers: [String] { state.withLock { $0.readers.keys.sorted() } }

    private func ask<Answer>(_ call: String, _ answer: (inout State) throws -> Answer) throws -> Answer {
        try state.withLock { state in
            if state.down.contains(call) { throw Down() }
            return try answer(&state)
        }
    }

    public func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        try ask("recognise") { state in
            guard let reader = state.readers[credentials.identifier], let typed = credentials["password"],
                isEqualInConstantTime(Array(typed.utf8), Array(reader.proof.utf8))
            else { return .notRecognised(message: nil) }
            return .recognised(Subscriber(backend: name, key: reader.key))
        }
    }

    public func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        try ask("subscription") { state in
            Subscription(state: state.readers.values.contains { $0.key == subscriber.key } ? .active : .unknown)
        }
    }

    public func register(identifier: String, password: String) async throws -> Subscriber? {
        try ask("register") { state in
            let folded = CredentialFields.fold(identifier)
            guard state.readers[folded] == nil else { return nil }
            state.last += 1
            let reader = Reader(key: String(state.last), proof: password, version: 1)
            state.readers[folded] = reader
            return Subscriber(backend: name, key: reader.key)
        }
    }

    public func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try ask("subscriber") { state in
            state.readers[CredentialFields.fold(identifier)].map { Subscriber(backend: name, key: $0.key) }
        }
    }

    public func identifier(of subscriber: Subscriber) async throws -> String? {
        try ask("identifier") { state in state.readers.first { $0.value.key == subscriber.key }?.key }
    }

    public func passwordMark(of subscriber: Subscriber) async throws -> [UInt8]? {
        try ask("passwordMark") { state in
            state.readers.values.first { $0.key == subscriber.key }.map { [$0.version] }
        }
    }

    public func setPassword(_ password: String, of subscriber: Subscriber, replacing mark: [UInt8]) async throws -> Bool
    {
        let work = state.withLock { state in
            defer { state.beforeSetting = nil }
            return state.beforeSetting
        }
        try await work?()
        return try ask("setPassword") { state in
            guard let (identifier, reader) = state.readers.first(where: { $0.value.key == subscriber.key }),
                isEqualInConstantTime([reader.version], mark)
            else { return false }
            state.readers[identifier] = Reader(key: reader.key, proof: password, version: reader.version + 1)
            return true
        }
    }

    public func erase(_ subscriber: Subscriber) async throws -> Bool {
        try ask("erase") { state in
            let before = state.readers.count
            state.readers = state.readers.filter { $0.value.key != subscriber.key }
            return state.readers.count < before
        }
    }

    public func health() async throws {}
}
