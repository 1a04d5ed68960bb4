import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Backends
@testable import Resilience

@Suite("Forwarding of the subscriber registry") struct RegistryHandoverTests {
    private static let ada = "ada@example.com"

    @Test("The embedded database has a registry if `self_service` is set and the proof is a password")
    func settings() throws {
        func kind(_ yaml: String) throws -> SQLiteBackendKind {
            let settings = try backendSettings("kind: sqlite\npath: readers.sqlite\n" + yaml)
            let kind = try #require(try BackendRegistry.read(name: "readers", settings: settings) as? SQLiteBackendKind)
            try settings.finish()
            return kind
        }
        #expect(try !kind("").registry.isSelfService)
        #expect(try kind("self_service: true").registry.isSelfService)
        #expect(try kind("self_service: true\nproof: passphrase").registry.isSelfService)
        #expect(try !kind("self_service: false\ncheck_proof: false").registry.isSelfService)
        for yaml in ["self_service: true\ncheck_proof: false", "self_service: true\nproof_folds: true"] {
            let error = try #require(throws: SettingsError.self) { try kind(yaml) }
            #expect(
                "\(error)".contains("gatefold.yaml:3: self_service: expected a password for a proof"), "\(error)")
        }
        let fixture = try Fixture()
        #expect(fixture.backend().registry == nil)
        #expect(fixture.backend(proof: nil, isSelfService: true).registry == nil)
        let folding = SubscriberDatabaseBackend.Proof(field: "surname", folds: true)
        #expect(fixture.backend(proof: folding, isSelfService: true).registry == nil)
    }

    @Test("The guide's database is read and allows registration")
    func guide() throws {
        let article = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Backends/Backends.docc/SQLite.md").standardizedFileURL
        let text = try String(contentsOf: article, encoding: .utf8)
        let block = try #require(
            text.components(separatedBy: "```yaml\n").dropFirst().first?.components(separatedBy: "```").first)
        let settings = try backendSettings(block).section("backends").section("readers")
        let kind = try #require(try BackendRegistry.read(name: "readers", settings: settings) as? SQLiteBackendKind)
        try settings.finish()
        #expect(kind.registry.isSelfService)
    }

    @Test("A chain uses the registry of its first member that has one, and of members only")
    func chain() throws {
        let readers = InMemorySubscribers(name: "readers")
        let others = InMemorySubscribers(name: "others")
        func chain(_ members: any SubscriberBackend...) -> ChainBackend {
            ChainBackend(
                name: "all", members: members.map { ChainMember(backend: $0, rule: ChainRule()) }, order: .inOrder,
                lazyMigration: nil)
        }
        #expect(chain(FakeMember("legacy"), readers, others).registry?.name == "readers")
        #expect(chain(chain(FakeMember("legacy")), chain(others), readers).registry?.name == "others")
        #expect(chain(FakeMember("legacy")).registry == nil)
    }

    @Test("A shadow uses the registry of its primary backend")
    func shadow() throws {
        let readers = InMemorySubscribers(name: "readers")
        func shadow(_ serves: any SubscriberBackend, _ watches: any SubscriberBackend) throws -> ShadowBackend {
            ShadowBackend(
                name: "shadow", wrapped: ResolvedBackend(serves),
                monitor: ShadowMonitor(
                    shadow: "shadow", watching: watches, share: 100, maxConcurrent: 1, services: try testServices()))
        }
        #expect(try shadow(readers, FakeMember("new")).registry?.name == "readers")
        #expect(try shadow(FakeMember("old"), readers).registry == nil)
    }

    @Test("A protected backend forwards the registry and serves no outdated cached result after a change")
    func protected() async throws {
        let readers = InMemorySubscribers()
        let backend = ProtectedBackend(readers, services: try testServices())
        #expect(ProtectedBackend(FakeMember("plain"), services: try testServices()).registry == nil)
        let registry = try #require(backend.registry)
        #expect(registry.name == "readers" && registry.passwordField == "password")
        func signIn(_ password: String) async throws -> Subscriber? {
            let response = try await backend.authenticate(credentials(Self.ada, password), context: CallContext()).value
            if case .authenticated(let subscriber) = response { return subscriber }
            return nil
        }
        #expect(try await signIn("first password") == nil)
        let subscriber = try #require(try await registry.register(identifier: Self.ada, password: "first password"))
        #expect(try await signIn("first password") == subscriber)
        #expect(try await signIn("other password") == nil)
        #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .active)
        let revision = try #require(try await registry.passwordRevision(of: subscriber))
        #expect(try await registry.setPassword("other password", of: subscriber, replacing: revision))
        #expect(try await signIn("first password") == nil)
        #expect(try await signIn("other password") == subscriber)
        #expect(try await registry.identifier(of: subscriber) == Self.ada)
        #expect(try await registry.subscriber(identifiedBy: Self.ada) == subscriber)
        #expect(try await registry.erase(subscriber))
        #expect(try await signIn("other password") == nil)
        #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .unknown)
    }
}
