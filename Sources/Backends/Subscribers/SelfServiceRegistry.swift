import Gatefold
import PasswordHashing
import Primitives

/// The readers of a subscriber database who register, change their passwords and delete their accounts through
/// self-service, `self_service: true`.
///
/// The password marker is the number of times that a password was set. It does not change when a sign-in replaces
/// the stored hash by a better hash of the same password. Unlike the timestamp of the last change, no two changes
/// share a marker.
struct SelfServiceRegistry: SubscriberRegistry {
    let name: String
    let passwordField: String
    let database: SubscriberDatabase
    let verifier: PasswordVerifier

    func register(identifier: String, password: String) async throws -> Subscriber? {
        let identifier = CredentialFields.fold(identifier)
        guard SubscriberDatabase.accepts(identifier: identifier), try await database.find(identifier) == nil else {
            return nil
        }
        let hash = try await verifier.hash(password)
        // If several registrations run at the same time, the first one is written.
        return try await database.register(identifier, hash: hash).map(subscriber)
    }

    func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try await database.find(identifier).map { subscriber($0.id) }
    }

    func identifier(of subscriber: Subscriber) async throws -> String? {
        guard let id = id(of: subscriber) else { return nil }
        return try await database.find(id: id)?.identifier
    }

    /// Returns the password marker. Also returns nil for a subscriber whom the operator left without a password:
    /// this disables the sign-in, and a password e-mail must not enable it.
    func passwordRevision(of subscriber: Subscriber) async throws -> [UInt8]? {
        guard let id = id(of: subscriber), let version = try await database.passwordVersion(of: id) else { return nil }
        return Self.revision(version)
    }

    func setPassword(_ password: String, of subscriber: Subscriber, replacing revision: [UInt8]) async throws -> Bool {
        // Checks the marker first, so that an invalid marker does not cost a hash.
        guard let id = id(of: subscriber), let version = try await database.passwordVersion(of: id),
            isEqualInConstantTime(Self.revision(version), revision)
        else { return false }
        let hash = try await verifier.hash(password)
        return try await database.setChosenPassword(hash: hash, of: id, version: version)
    }

    func erase(_ subscriber: Subscriber) async throws -> Bool {
        guard let id = id(of: subscriber) else { return false }
        return try await database.delete(id: id)
    }

    private static func revision(_ version: Int64) -> [UInt8] { withUnsafeBytes(of: version.bigEndian) { Array($0) } }

    private func subscriber(_ id: Int64) -> Subscriber { SubscriberDatabaseBackend.subscriber(id, backend: name) }

    private func id(of subscriber: Subscriber) -> Int64? {
        subscriber.backend == name ? SubscriberDatabaseBackend.id(of: subscriber) : nil
    }
}
