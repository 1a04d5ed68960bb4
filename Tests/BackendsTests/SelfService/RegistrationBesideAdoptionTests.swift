import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Registration in a database that also takes readers over") struct RegistrationBesideAdoptionTests {
    private static let ada = "ada@example.com"
    private static let origin = AdoptionOrigin(
        backend: "legacy",
        reference: ReferenceKey(Secret(Array("a secret for references".utf8)))
            .reference(to: Subscriber(backend: "legacy", key: "1")))

    private func adopt(
        _ backend: SQLiteSubscriberBackend, _ password: String, _ subscription: Subscription
    ) async throws -> AdoptionOutcome {
        try await backend.adopt(credentials(Self.ada, password), from: [Self.origin], subscription: subscription)
    }

    private func isRecognised(_ backend: SQLiteSubscriberBackend, _ password: String) async throws -> Bool {
        try await backend.recognise(credentials(Self.ada, password), inquiry: Inquiry()) != .notRecognised(message: nil)
    }

    @Test(
        "Who registered is left alone: that the identifier is theirs was never shown, so nothing is given to them either"
    )
    func registered() async throws {
        let bench = try Bench()
        let backend = bench.backend(isSelfService: true)
        let who = try #require(
            try await backend.registry?.register(identifier: Self.ada, password: "first password"))
        let told = Subscription(state: .active, entitlement: .allEditions)
        #expect(try await adopt(backend, "legacy password", told) == .notOurs)
        #expect(try await backend.subscription(of: who, inquiry: Inquiry()).state == .inactive)
        #expect(try await isRecognised(backend, "first password"))
        #expect(try await !isRecognised(backend, "legacy password"))
    }

    @Test("The identifier of an adopted reader is taken")
    func adopted() async throws {
        let bench = try Bench()
        let backend = bench.backend(isSelfService: true)
        let told = Subscription(state: .active, entitlement: .allEditions)
        #expect(try await adopt(backend, "legacy password", told) == .written)
        #expect(try await backend.registry?.register(identifier: Self.ada, password: "first password") == nil)
    }

    @Test(
        "A password that an adopted reader chose here stays; what the other system says of the subscription goes on coming"
    )
    func chosen() async throws {
        let bench = try Bench()
        let backend = bench.backend(isSelfService: true)
        let registry = try #require(backend.registry)
        _ = try await adopt(backend, "legacy password", Subscription(state: .active, entitlement: .allEditions))
        let who = try #require(try await registry.subscriber(identifiedBy: Self.ada))
        let mark = try #require(try await registry.passwordMark(of: who))
        #expect(try await registry.setPassword("other password", of: who, replacing: mark))
        let own = try await registry.passwordMark(of: who)
        #expect(try await adopt(backend, "legacy password", Subscription(state: .suspended)) == .written)
        #expect(try await adopt(backend, "legacy password", Subscription(state: .suspended)) == .unchanged)
        #expect(try await backend.subscription(of: who, inquiry: Inquiry()).state == .suspended)
        #expect(try await isRecognised(backend, "other password"))
        #expect(try await !isRecognised(backend, "legacy password"))
        #expect(try await registry.passwordMark(of: who) == own)
    }

    @Test("A password that changed in the other system moves the mark: a ticket for the one before is over")
    func moved() async throws {
        let bench = try Bench()
        let backend = bench.backend(isSelfService: true)
        let registry = try #require(backend.registry)
        let told = Subscription(state: .active, entitlement: .allEditions)
        _ = try await adopt(backend, "legacy password", told)
        let who = try #require(try await registry.subscriber(identifiedBy: Self.ada))
        let mark = try await registry.passwordMark(of: who)
        _ = try await adopt(backend, "legacy password", Subscription(state: .suspended))
        #expect(try await registry.passwordMark(of: who) == mark)
        _ = try await adopt(backend, "new legacy password", told)
        #expect(try await registry.passwordMark(of: who) != mark)
        #expect(try await registry.subscriber(identifiedBy: Self.ada) == who)
    }
}
