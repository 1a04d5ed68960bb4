import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

/// A probe behind its protection, with a time that the test controls.
struct ProtectedBackendFixture: Sendable {
    let probe: ProbeBackend
    let time = ManualTime()
    let backend: ProtectedBackend
    let pseudonymKey: PseudonymKey
    let credentialFacts: CredentialFacts
    private let log: Log

    final class Log: Sendable {
        let events = Mutex<[BackendEvent]>([])
    }

    init(
        _ probe: ProbeBackend = ProbeBackend(), varyingFields: Set<String> = [], decidesEditions: Bool = true,
        credentialFacts: CredentialFacts = CredentialFacts(), _ change: (inout ProtectionSettings) -> Void = { _ in }
    ) {
        self.probe = probe
        var settings = ProtectionSettings()
        change(&settings)
        let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
        let log = Log()
        self.pseudonymKey = pseudonymKey
        self.credentialFacts = credentialFacts
        self.log = log
        var services = BackendServices(
            clock: time.clock.wall, random: .seeded(7), passwords: Self.passwords, pseudonymKey: pseudonymKey,
            observe: { event in log.events.withLock { $0.append(event) } })
        services.credentialFacts = credentialFacts
        backend = ProtectedBackend(
            probe, varyingFields: varyingFields, decidesEditions: decidesEditions, settings: settings,
            services: services, sleep: time.sleep)
    }

    private static let passwords: PasswordVerifier = {
        // Never used, because the probe checks no hash.
        guard let hasher = try? PasswordHasher(cost: 1) else { fatalError("no hasher") }
        return PasswordVerifier(hasher: hasher, concurrency: 1)
    }()

    var events: [BackendEvent] { log.events.withLock { $0 } }
    var status: ProtectionStatus { backend.status }

    static let ada = Subscriber(backend: "house", key: "ada")
    static let bob = Subscriber(backend: "house", key: "bob")

    func credentials(_ identifier: String, _ password: String, _ more: [String: String] = [:]) -> Credentials {
        Credentials(
            identifier: identifier,
            fields: ["email": identifier, "password": password].merging(more) { first, _ in first })
    }

    func authenticate(
        _ identifier: String = "ada", _ password: String = "right", _ fields: [String: String] = [:]
    ) async throws -> AuthenticationResult {
        try await backend.authenticate(credentials(identifier, password), context: CallContext(fields: fields)).value
    }

    func subscription(
        of subscriber: Subscriber = ada, _ fields: [String: String] = [:]
    ) async throws -> Subscription {
        try await backend.subscription(of: subscriber, context: CallContext(fields: fields)).value
    }

    func verdict(_ edition: String = "ed-1", of subscriber: Subscriber = ada) async throws -> EditionVerdict? {
        try await backend.verdict(on: EditionID(edition), for: subscriber, context: CallContext()).value
    }
}
