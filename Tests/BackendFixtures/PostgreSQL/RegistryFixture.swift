import Backends
import Foundation
public import Gatefold
import PasswordHashing
import Primitives
import Settings
import TestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// Gatefold's own subscribers in PostgreSQL, behind a proxy that injects faults.
public struct RegistryFixture: BackendFixture {
    public static let name = "registry"
    public static let hasStoredHashes = true
    public static let outages = Outage.allCases

    private static let password = "the password of gatefold"

    private let instance: PostgreSQLInstance
    private let proxy: FaultProxy
    private let hasher: PasswordHasher
    private let database: SubscriberDatabase

    public static func run(_ body: (RegistryFixture) async throws -> Void) async throws {
        try await PostgreSQLInstance.run { instance in
            try await withFaultProxy(to: instance.port) { proxy in
                try await instance.execute("CREATE ROLE gatefold LOGIN PASSWORD :'password'", ["password": password])
                try await instance.execute("GRANT CREATE ON DATABASE readers TO gatefold")
                let settings = try YAMLSettings.read(
                    text: settings(port: instance.port), name: "registry.yaml", folder: instance.folder.path,
                    environment: ["REGISTRY_PASSWORD": password])
                let kind = try RegistryBackendKind(name: name, settings: settings)
                let fixture = RegistryFixture(
                    instance: instance, proxy: proxy, hasher: try PasswordHasher(cost: 1),
                    database: try kind.openDatabase())
                let file = instance.folder.appending(path: "readers.csv").path
                try Data(StandardReaders.table.utf8).write(to: URL(fileURLWithPath: file))
                _ = try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: file)
                try await body(fixture)
            }
        }
    }

    public var environment: [String: String] { ["REGISTRY_PASSWORD": Self.password] }

    public var settings: String { Self.settings(port: proxy.port) }

    private static func settings(port: Int) -> String {
        """
        kind: registry
        connection:
          hosts: ["127.0.0.1:\(port)"]
          database: readers
          user: gatefold
          password: {env: REGISTRY_PASSWORD}
          connect_timeout: 2s
          statement_timeout: 2s
        pool: {size: 8}
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        guard let state = SubscriberRecord.State(rawValue: state.rawValue) else { return }
        try await database.setState(state, of: reader.email)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await database.setPassword(hash: try hasher.hash(password), of: reader.email)
    }

    public func fail(_ outage: Outage) async throws {
        switch outage {
        case .stopped:
            await instance.server.stop(SIGQUIT)
            try await proxy.set(.reject)
        case .paused: await instance.server.pause()
        case .error: try await instance.execute("ALTER TABLE gatefold_subscribers.subscriber RENAME TO gone")
        case .garbage: try await proxy.set(.garbage)
        case .reset: try await proxy.set(.reset)
        case .slow: try await proxy.set(.slow(Outage.delay))
        }
    }

    public func recover() async throws {
        try await proxy.set(.none)
        await instance.server.resume()
        try await instance.start()
        try await instance.execute("ALTER TABLE IF EXISTS gatefold_subscribers.gone RENAME TO subscriber")
    }
}
