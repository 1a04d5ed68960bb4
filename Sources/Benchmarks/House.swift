import Backends
import Foundation
import Gatefold
import State

/// The publication that the benchmarks are about.
enum House {
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

    static let references = ReferenceKey(Secret("Ms9yP4xT0vAz6oBr-references"))
    static let editionSecrets = SecretRing(current: Secret("Kq7wN2vR8tYx4mZp-editions"))

    static func services() throws -> BackendServices {
        BackendServices(
            clock: .system, random: .system,
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1), references: references)
    }

    /// - Parameter folder: for the state.
    static func proxy(
        _ backend: any SubscriberBackend, tokens: any TokenCodec, _ folder: URL
    ) throws -> PublicationProxy {
        let publication = Publication(
            id: try publication, credentialFields: CredentialFields(identifier: "email", proofs: ["password"]),
            rule: EntitlementRule(policy: .backendDecides))
        return PublicationProxy(
            publication: publication, backend: backend, tokens: tokens, editionSecrets: editionSecrets,
            state: try SQLiteStateStore(path: folder.appending(path: "state.sqlite").path),
            revocations: RevocationList(publication: publication.id), guesses: UnlimitedGuesses(),
            references: references)
    }

    /// A session of an hour.
    static func session(of reader: Int) throws -> Session {
        let now = Date()
        return Session(
            publication: try publication, subscriber: Subscriber(backend: "legacy", key: String(reader)), device: nil,
            reference: .random(from: .system), issuedAt: now, expiresAt: now.addingTimeInterval(3_600))
    }

    private struct NoName: Error {}

    /// A word of this program's own, known to be a name.
    static func id<ID>(_ id: ID?) throws -> ID {
        guard let id else { throw NoName() }
        return id
    }

    /// Runs the body with a folder that goes away afterwards.
    static func withFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gatefold-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }
}
