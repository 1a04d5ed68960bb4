import Gatefold

/// A registry behind the protections of its backend. Its changes remove the affected results from the cache.
///
/// Registry calls are neither cached nor shared nor repeated. Each call runs once for one reader.
struct ProtectedRegistry: SubscriberRegistry {
    private let registry: any SubscriberRegistry
    private let invalidate: @Sendable (FlushTarget) -> Void

    init(_ registry: any SubscriberRegistry, invalidate: @escaping @Sendable (FlushTarget) -> Void) {
        self.registry = registry
        self.invalidate = invalidate
    }

    var name: String { registry.name }

    var passwordField: String { registry.passwordField }

    func register(identifier: String, password: String) async throws -> Subscriber? {
        // The cache may hold a rejection of this identifier. A taken identifier changes nothing: anyone may enter the one
        // of another reader, whose results stay cached.
        var mayBeCreated = true
        defer { if mayBeCreated { invalidate(.identifier(identifier)) } }
        let subscriber = try await registry.register(identifier: identifier, password: password)
        mayBeCreated = subscriber != nil
        return subscriber
    }

    func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try await registry.subscriber(identifiedBy: identifier)
    }

    func identifier(of subscriber: Subscriber) async throws -> String? {
        try await registry.identifier(of: subscriber)
    }

    func passwordRevision(of subscriber: Subscriber) async throws -> [UInt8]? {
        try await registry.passwordRevision(of: subscriber)
    }

    func setPassword(_ password: String, of subscriber: Subscriber, replacing revision: [UInt8]) async throws -> Bool {
        try await invalidatingCache(subscriber) {
            try await registry.setPassword(password, of: subscriber, replacing: revision)
        }
    }

    func erase(_ subscriber: Subscriber) async throws -> Bool {
        try await invalidatingCache(subscriber) { try await registry.erase(subscriber) }
    }

    private func invalidatingCache(_ subscriber: Subscriber, _ change: () async throws -> Bool) async throws -> Bool {
        let identifier = try await registry.identifier(of: subscriber)
        // The results are removed even if the call fails, because the change may have been made.
        defer {
            invalidate(.key(subscriber.key))
            // The cache may also hold a rejection of these credentials.
            if let identifier { invalidate(.identifier(identifier)) }
        }
        return try await change()
    }
}
