import Backends
import Foundation
import Gatefold
import PasswordHashing
import Primitives
import State

/// The publication that the benchmarks use.
enum BenchmarkPublication {
    static var publication: PublicationID {
        get throws { try id(PublicationID("daily")) }
    }

    static var codec: SealedTokenCodec {
        get throws {
            SealedTokenCodec(
                publication: try publication, secrets: SecretRing(current: Secret("Lr8xO3wS9uZy5nAq-tokens")),
                random: .system)
        }
    }

    static let pseudonymKey = PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms"))
    static let editionSecrets = SecretRing(current: Secret("Kq7wN2vR8tYx4mZp-editions"))

    static func services() throws -> BackendServices {
        BackendServices(
            clock: .system, random: .system,
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1), pseudonymKey: pseudonymKey
        )
    }

    /// - Parameter folder: The folder for the state.
    static func authorizationService(
        _ backend: any SubscriberBackend, tokens: any TokenCodec, _ folder: URL
    ) throws -> AuthorizationService {
        let publication = Publication(
            id: try publication, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: .backendDecides))
        return AuthorizationService(
            publication: publication, backend: backend, tokens: tokens, editionSecrets: editionSecrets,
            state: try SQLStateStore(path: folder.appending(path: "state.sqlite").path),
            revocations: RevocationList(publication: publication.id), loginThrottle: UnlimitedLoginAttempts(),
            pseudonymKey: pseudonymKey)
    }

    /// Returns a session that expires after one hour.
    static func session(of reader: Int) throws -> Session {
        let now = Date()
        return Session(
            publication: try publication, subscriber: Subscriber(backend: "legacy", key: String(reader)), device: nil,
            reference: .random(from: .system), issuedAt: now, expiresAt: now.addingTimeInterval(3_600))
    }

    private struct NoName: Error {}

    /// Returns an identifier that this program defines and that is known to be valid.
    static func id<ID>(_ id: ID?) throws -> ID {
        guard let id else { throw NoName() }
        return id
    }

    /// Runs the body with a temporary folder, which is removed afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
