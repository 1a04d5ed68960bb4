import Foundation
import Gatefold
import TestSupport

/// An in-memory subscriber backend in which readers register themselves.
final class RegistryBackend: SelfServiceBackend, SubscriberRegistry {
    struct Reader: Sendable {
        var key: String
        var password: String
        var changes = 0
    }

    struct Unreachable: Error {}

    let name = "house"
    let passwordField = "password"
    let readers = Locked<[String: Reader]>([:])
    private let subscriptions = Locked<[String: Subscription]>([:])
    private let reachable = Locked(true)
    private let hasRegistry: Bool

    init(hasRegistry: Bool = true) {
        self.hasRegistry = hasRegistry
    }

    var registry: (any SubscriberRegistry)? { hasRegistry ? self : nil }

    var isReachable: Bool {
        get { reachable.withLock { $0 } }
        set { reachable.withLock { $0 = newValue } }
    }

    private func response() throws {
        if !isReachable { throw Unreachable() }
    }

    func setSubscription(_ identifier: String, _ subscription: Subscription) {
        subscriptions.withLock { $0["key of \(identifier)"] = subscription }
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        try response()
        guard let reader = readers.withLock({ $0[credentials.identifier] }), reader.password == credentials["password"]
        else { return .rejected(message: nil) }
        return .authenticated(Subscriber(backend: name, key: reader.key))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        try response()
        guard readers.withLock({ $0.values.contains { $0.key == subscriber.key } }) else {
            return Fetched(Subscription(state: .unknown))
        }
        return Fetched(subscriptions.withLock { $0[subscriber.key] } ?? Subscription(state: .inactive))
    }

    func register(identifier: String, password: String) async throws -> Subscriber? {
        try response()
        let folded = CredentialFields.fold(identifier)
        let isNew = readers.withLock { readers in
            guard readers[folded] == nil else { return false }
            readers[folded] = Reader(key: "key of \(folded)", password: password)
            return true
        }
        return isNew ? Subscriber(backend: name, key: "key of \(folded)") : nil
    }

    func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try response()
        return readers.withLock { $0[CredentialFields.fold(identifier)] }.map { Subscriber(backend: name, key: $0.key) }
    }

    func identifier(of subscriber: Subscriber) async throws -> String? {
        try response()
        return readers.withLock { $0.first { $0.value.key == subscriber.key }?.key }
    }

    func passwordRevision(of subscriber: Subscriber) async throws -> [UInt8]? {
        try response()
        return readers.withLock { $0.values.first { $0.key == subscriber.key } }.map { [UInt8($0.changes)] }
    }

    func setPassword(_ password: String, of subscriber: Subscriber, replacing revision: [UInt8]) async throws -> Bool {
        try response()
        return readers.withLock { readers in
            guard let name = readers.first(where: { $0.value.key == subscriber.key })?.key,
                readers[name].map({ [UInt8($0.changes)] == revision }) == true
            else { return false }
            readers[name]?.password = password
            readers[name]?.changes += 1
            return true
        }
    }

    func erase(_ subscriber: Subscriber) async throws -> Bool {
        try response()
        return readers.withLock { readers in
            guard let name = readers.first(where: { $0.value.key == subscriber.key })?.key else { return false }
            readers[name] = nil
            return true
        }
    }
}
