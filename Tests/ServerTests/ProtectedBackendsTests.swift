import Backends
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Resilience
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Protection of remote backends")
struct ProtectedBackendsTests {
    /// A remote backend with scripted results.
    private struct RemoteKind: BackendKind {
        static let name = "remote"
        let system: ScriptedBackend
        let maxConcurrent: Int?

        init(name: String, settings: SettingsSection) throws(SettingsError) {
            _ = try settings.string("kind")
            maxConcurrent = settings.has("pool") ? try settings.integer("pool", default: 1, in: 1...100) : nil
            system = ScriptedBackend(name: name)
        }

        func open(_ services: BackendServices) throws -> any SubscriberBackend { system }
    }

    private static let ada = Subscriber(backend: "legacy", key: "ada")

    private func configuration(_ protection: String = "{}") -> String {
        ConfigurationTests.minimal.replacing(
            "backends:\n", with: "backends:\n  legacy: {kind: remote, protection: \(protection)}\n")
    }

    private func plan(_ text: String) throws -> BackendPlan {
        let top = try YAMLSettings.read(
            text: text, name: "gatefold.yaml", folder: "/srv", environment: ConfigurationTests.environment)
        return try BackendPlan(try GatefoldConfiguration(top).backends) {
            $0.name == "legacy"
                ? try RemoteKind(name: $0.name, settings: $0.settings)
                : try BackendRegistry.read(name: $0.name, settings: $0.settings)
        }
    }

    /// Opens the backends of a configuration.
    private func withBackends(
        _ body: (LiveBackendRegistry, ScriptedBackend, BackendServices) async throws -> Void
    ) async throws {
        try await withParts(ConfigurationTests.minimal) { parts, _ in
            let plan = try plan(configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let open = try LiveBackendRegistry(remoteOnly(plan), services: parts.services)
            try await body(open, system, parts.services)
        }
    }

    /// Removes the embedded database, which would need a folder.
    private func remoteOnly(_ plan: BackendPlan) throws -> BackendPlan {
        BackendPlan(entries: plan.entries.filter { $0.name == "legacy" })
    }

    @Test("Protects remote backends and no embedded ones")
    func principals() throws {
        let plan = try plan(configuration("{deadline: 250ms}"))
        let protections = Dictionary(uniqueKeysWithValues: plan.entries.map { ($0.name, $0.protection) })
        #expect(protections["legacy"]??.deadline == 0.25)
        #expect(protections["house"] == .some(nil))
        let inside = ConfigurationTests.minimal.replacing(
            "path: house.sqlite", with: "path: house.sqlite, protection: {deadline: 1s}")
        let error = #expect(throws: SettingsError.self) { try self.plan(inside) }
        #expect(error?.key == "backends.house.protection")
        let wrong = #expect(throws: SettingsError.self) { try self.plan(configuration("{deadline: 1h}")) }
        #expect(wrong?.key == "backends.legacy.protection.deadline")
    }

    @Test(
        "Never queries a backend more often concurrently than its pool allows",
        arguments: [(nil, 16), (2, 2), (16, 16), (40, 16)] as [(Int?, Int)])
    func pools(pool: Int?, maxConcurrent: Int) async throws {
        try await withParts(ConfigurationTests.minimal) { parts, _ in
            let text = pool.map {
                configuration().replacing("kind: remote,", with: "kind: remote, pool: \($0),")
            }
            let open = try LiveBackendRegistry(remoteOnly(try plan(text ?? configuration())), services: parts.services)
            #expect((open["legacy"] as? ProtectedBackend)?.status.maxConcurrent == maxConcurrent)
        }
    }

    @Test("A reload preserves the cache, and changed settings clear it")
    func reload() async throws {
        try await withBackends { before, system, services in
            let queried = try #require(before["legacy"])
            _ = try await queried.subscription(of: Self.ada, context: CallContext()).value
            let same = try LiveBackendRegistry(
                remoteOnly(plan(configuration())), services: services, reusing: before)
            let existing = try #require(same["legacy"])
            _ = try await existing.subscription(of: Self.ada, context: CallContext()).value
            #expect(system.queries == ["subscription"])
            #expect((same["legacy"] as? ProtectedBackend)?.status.entries == 1)
            // Pitfall 7: another configuration may lead to another result.
            let changed = try LiveBackendRegistry(
                remoteOnly(plan(configuration("{deadline: 2s}"))), services: services, reusing: same)
            #expect((changed["legacy"] as? ProtectedBackend)?.status.entries == 0)
        }
    }

    /// The admin listener as a function.
    private struct Admin {
        let client: any TestClientProtocol

        func callAsFunction(
            _ method: HTTPRequest.Method, _ path: String, _ form: String, _ headers: HTTPFields = [:]
        ) async throws -> (status: HTTPResponse.Status, text: String) {
            let response = try await client.execute(
                uri: path, method: method, headers: headers, body: form.isEmpty ? nil : ByteBuffer(string: form))
            return (response.status, String(buffer: response.body))
        }
    }

    /// Runs the body with the admin listener of a backend that has a cached result for ada.
    ///
    private func withAdmin(
        _ body:
            @escaping @Sendable (
                _ send: Admin, _ backend: any SubscriberBackend, _ system: ScriptedBackend
            ) async throws -> Void
    ) async throws {
        try await withParts(ConfigurationTests.minimal) { parts, configuration in
            let set = try parts.assemble(configuration)
            let plan = try plan(self.configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let publications = ReloadableSnapshot(
                ServingState(
                    directory: set.directory, gate: set.gate,
                    backends: try LiveBackendRegistry(remoteOnly(plan), services: parts.services), clients: set.clients)
            )
            let router = AdminRouter(
                metrics: PrometheusRegistry(), readiness: { .ready }, backends: BackendAdministration(publications))
            let backend = try #require(publications.value.backends["legacy"])
            _ = try await backend.subscription(of: Self.ada, context: CallContext()).value
            try await Application(router: router).test(.router) { client in
                try await body(Admin(client: client), backend, system)
            }
        }
    }

    @Test("The readiness page shows each backend, degraded but still in service")
    func readiness() async throws {
        try await withAdmin { send, backend, system in
            var (status, text) = try await send(.get, "/readyz", "")
            // A busy machine may delay the response beyond the probe's timeout.
            for _ in 0..<20 where !text.hasPrefix("ready\n") {
                try await Task.sleep(for: .milliseconds(250))
                (status, text) = try await send(.get, "/readyz", "")
            }
            #expect(status == .ok)
            let line = "backend legacy: ok, breaker closed, in flight 0 of 16, queued 0 of 500, caching 1 results"
            #expect(text.hasPrefix("ready\n\(line)"), "\(text)")
            system.startOutage()
            for number in 0..<6 {
                _ = try? await backend.subscription(
                    of: Subscriber(backend: "legacy", key: "\(number)"), context: CallContext()
                ).value
            }
            let queried = system.queries.count
            let degraded = try await send(.get, "/readyz", "")
            #expect(degraded.status == .ok)
            #expect(
                degraded.text.hasPrefix("degraded\nbackend legacy: unavailable, breaker open,"), "\(degraded.text)"
            )
            #expect(system.queries.count == queried)
        }
    }

    @Test("A backend whose health check hangs does not delay the readiness page, and the others are reported")
    func silence() async throws {
        try await withParts(ConfigurationTests.minimal) { parts, configuration in
            let set = try parts.assemble(configuration)
            let plan = try plan(self.configuration())
            let system = try #require((plan.kind("legacy") as? RemoteKind)?.system)
            let publications = ReloadableSnapshot(
                ServingState(
                    directory: set.directory, gate: set.gate,
                    backends: try LiveBackendRegistry(remoteOnly(plan), services: parts.services) { _, opened in
                        SilentBackend(opened)
                    }, clients: set.clients))
            let silent = await BackendAdministration(publications, healthTimeout: {}).health()
            #expect(silent.map(\.isUp) == [false])
            #expect(system.queries.isEmpty)
            let extended = BackendAdministration(ReloadableSnapshot(set)) {
                try await Task.sleep(for: .seconds(3_600))
            }
            #expect(await extended.health().allSatisfy(\.isUp))
        }
    }

    /// A backend whose health check hangs.
    private struct SilentBackend: SubscriberBackend {
        let backend: any SubscriberBackend
        var name: String { backend.name }

        init(_ backend: any SubscriberBackend) {
            self.backend = backend
        }

        func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<
            AuthenticationResult
        > {
            try await backend.authenticate(credentials, context: context)
        }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            try await backend.subscription(of: subscriber, context: context)
        }

        func health() async throws {
            try await Task.sleep(for: .seconds(3_600))
        }
    }
}
