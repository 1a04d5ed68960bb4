import BackendFixtures
import Backends
import Foundation
import Settings
import Synchronization
import Testing

/// A kind of store to run the specification of the subscriber database against.
enum TestedSubscriberStore: String, CaseIterable {
    case sqlite, postgresql, pgbouncer

    /// The store of the test that is running.
    @TaskLocal static var current = TestedSubscriberStore.sqlite

    private static let schemas = Atomic(0)

    /// The place of one database.
    enum Place: Sendable {
        case file(String)
        case server(RegistryBackendKind)
    }

    /// Returns the place of a new database.
    func place(in folder: String) throws -> Place {
        if self == .sqlite { return .file(folder + "/subscribers.sqlite") }
        let schema = "subscribers_\(Self.schemas.add(1, ordering: .relaxed).newValue)"
        return .server(try Self.kind(self, schema: schema))
    }

    /// Returns the settings of a registry in a schema of the shared servers.
    static func kind(_ store: TestedSubscriberStore, schema: String, more: String = "") throws -> RegistryBackendKind {
        let servers = try #require(StateServers.current)
        // All suites share two servers, on a machine that runs many tests at once. A statement that waits for the disk or the
        // processor must not fail there, and no test waits for this time limit.
        let settings = try YAMLSettings.read(
            text: """
                kind: registry
                schema: \(schema)
                connection:
                  hosts: ["127.0.0.1:\(store == .pgbouncer ? servers.bouncer : servers.instance.port)"]
                  database: state
                  user: \(StateServers.user)
                  password: {env: STATE_PASSWORD}
                  statement_timeout: 20s
                pool: {size: 4}
                \(more)
                """, name: "registry.yaml", folder: servers.instance.folder.path,
            environment: ["STATE_PASSWORD": StateServers.password])
        return try RegistryBackendKind(name: "embedded", settings: settings)
    }
}

/// A trait of a suite whose tests need the servers of ``StateServers``.
struct RegistryServersTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard StateServers.isEnabled else { return try await function() }
        try await StateServers.withShared(function)
    }
}

/// A trait of a suite that runs each of its tests with each kind of store. It needs the trait `registryServers`.
struct SubscriberStoresTrait: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        for store in TestedSubscriberStore.allCases where store == .sqlite || StateServers.isEnabled {
            try await TestedSubscriberStore.$current.withValue(store) { try await function() }
        }
    }
}

extension Trait where Self == RegistryServersTrait {
    static var registryServers: Self { RegistryServersTrait() }
}

extension Trait where Self == SubscriberStoresTrait {
    static var subscriberStores: Self { SubscriberStoresTrait() }
}
