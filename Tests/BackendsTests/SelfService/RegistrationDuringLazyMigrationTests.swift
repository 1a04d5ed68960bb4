import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import Backends

@Suite("Registration and lazy migration in one database", .registryServers, .subscriberStores)
struct RegistrationDuringLazyMigrationTests {
    private static let ada = "ada@example.com"
    private static let origin = LazyMigrationOrigin(
        backend: "legacy",
        reference: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8)))
            .reference(to: Subscriber(backend: "legacy", key: "1")))

    private func migrate(
        _ backend: SubscriberDatabaseBackend, _ password: String, _ subscription: Subscription
    ) async throws -> LazyMigrationOutcome {
        try await backend.migrate(credentials(Self.ada, password), from: [Self.origin], subscription: subscription)
    }

    private func isAuthenticated(_ backend: SubscriberDatabaseBackend, _ password: String) async throws -> Bool {
        try await backend.authenticate(credentials(Self.ada, password), context: CallContext()).value
            != .rejected(message: nil)
    }

    @Test(
        "A registered reader is not migrated, because registration proves no ownership of the identifier"
    )
    func registered() async throws {
        let fixture = try Fixture()
        let backend = fixture.backend(isSelfService: true)
        let subscriber = try #require(
            try await backend.registry?.register(identifier: Self.ada, password: "first password"))
        let reported = Subscription(state: .active, entitlement: .allEditions)
        #expect(try await migrate(backend, "legacy password", reported) == .ownedByOperator)
        #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .inactive)
        #expect(try await isAuthenticated(backend, "first password"))
        #expect(try await !isAuthenticated(backend, "legacy password"))
    }

    @Test("The identifier of a migrated reader is taken")
    func migrated() async throws {
        let fixture = try Fixture()
        let backend = fixture.backend(isSelfService: true)
        let reported = Subscription(state: .active, entitlement: .allEditions)
        #expect(try await migrate(backend, "legacy password", reported) == .written)
        #expect(try await backend.registry?.register(identifier: Self.ada, password: "first password") == nil)
    }

    @Test(
        "A migrated reader's own password is kept, and the other system's subscription is still updated"
    )
    func chosen() async throws {
        let fixture = try Fixture()
        let backend = fixture.backend(isSelfService: true)
        let registry = try #require(backend.registry)
        _ = try await migrate(backend, "legacy password", Subscription(state: .active, entitlement: .allEditions))
        let subscriber = try #require(try await registry.subscriber(identifiedBy: Self.ada))
        let revision = try #require(try await registry.passwordRevision(of: subscriber))
        #expect(try await registry.setPassword("other password", of: subscriber, replacing: revision))
        let own = try await registry.passwordRevision(of: subscriber)
        #expect(try await migrate(backend, "legacy password", Subscription(state: .suspended)) == .written)
        #expect(try await migrate(backend, "legacy password", Subscription(state: .suspended)) == .unchanged)
        #expect(try await backend.subscription(of: subscriber, context: CallContext()).value.state == .suspended)
        #expect(try await isAuthenticated(backend, "other password"))
        #expect(try await !isAuthenticated(backend, "legacy password"))
        #expect(try await registry.passwordRevision(of: subscriber) == own)
    }

    @Test("A password change in the other system changes the revision, so earlier reset tokens end")
    func moved() async throws {
        let fixture = try Fixture()
        let backend = fixture.backend(isSelfService: true)
        let registry = try #require(backend.registry)
        let reported = Subscription(state: .active, entitlement: .allEditions)
        _ = try await migrate(backend, "legacy password", reported)
        let subscriber = try #require(try await registry.subscriber(identifiedBy: Self.ada))
        let revision = try await registry.passwordRevision(of: subscriber)
        _ = try await migrate(backend, "legacy password", Subscription(state: .suspended))
        #expect(try await registry.passwordRevision(of: subscriber) == revision)
        _ = try await migrate(backend, "new legacy password", reported)
        #expect(try await registry.passwordRevision(of: subscriber) != revision)
        #expect(try await registry.subscriber(identifiedBy: Self.ada) == subscriber)
    }
}
