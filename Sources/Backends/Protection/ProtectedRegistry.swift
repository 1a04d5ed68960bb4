import Gatefold

/// A registry behind the protections of its backend: what it changes, nobody is told from memory any more.
///
/// Nothing here is remembered, shared or asked twice: each of these is done once, for one reader.
struct ProtectedRegistry: SubscriberRegistry {
    private let registry: any SubscriberRegistry
    private let forget: @Sendable (FlushTarget) -> Void

    init(_ registry: any SubscriberRegistry, forget: @escaping @Sendable (FlushTarget) -> Void) {
        self.registry = registry
        self.forget = forget
    }

    var name: String { registry.name }

    var passwordField: String { registry.passwordField }

    func register(identifier: String, password: String) async throws -> Subscriber? {
        let subscriber = try await registry.register(identifier: identifier, password: password)
        // That there is nobody of this identifier may be remembered.
        forget(.identifier(identifier))
        return subscriber
    }

    func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try await registry.subscriber(identifiedBy: identifier)
    }

    func identifier(of subscriber: Subscriber) async throws -> String? {
        try await registry.identifier(of: subscriber)
    }

    func passwordMark(of subscriber: Subscriber) async throws -> [UInt8]? {
        try await registry.passwordMark(of: subscriber)
    }

    func setPassword(_ password: String, of subscriber: Subscriber, replacing mark: [UInt8]) async throws -> Bool {
        try await forgetting(subscriber) { try await registry.setPassword(password, of: subscriber, replacing: mark) }
    }

    func erase(_ subscriber: Subscriber) async throws -> Bool {
        try await forgetting(subscriber) { try await registry.erase(subscriber) }
    }

    private func forgetting(_ subscriber: Subscriber, _ change: () async throws -> Bool) async throws -> Bool {
        let identifier = try await registry.identifier(of: subscriber)
        // Also when it fails: it may have been done all the same.
        defer {
            forget(.key(subscriber.key))
            // That these credentials were wrong may be remembered, too.
            if let identifier { forget(.identifier(identifier)) }
        }
        return try await change()
    }
}
