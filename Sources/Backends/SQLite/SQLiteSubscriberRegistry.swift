import Gatefold

/// Readers of the embedded database who register, change their passwords and leave by themselves, `self_service: true`.
///
/// A password's mark is how often one was set. Unlike the stored hash it stays when a sign-in replaces the hash by a better one
/// of the same password, and unlike the moment of the last change no two changes share one.
struct SQLiteSubscriberRegistry: SubscriberRegistry {
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
        // Of many at once the first is written.
        return try await database.register(identifier, hash: hash).map(subscriber)
    }

    func subscriber(identifiedBy identifier: String) async throws -> Subscriber? {
        try await database.find(identifier).map { subscriber($0.id) }
    }

    func identifier(of subscriber: Subscriber) async throws -> String? {
        guard let id = id(of: subscriber) else { return nil }
        return try await database.find(id: id)?.identifier
    }

    /// Also nil for whom the operator left without a password: that closes the sign-in, and no mail opens it.
    func passwordMark(of subscriber: Subscriber) async throws -> [UInt8]? {
        guard let id = id(of: subscriber), let version = try await database.passwordVersion(of: id) else { return nil }
        return Self.mark(version)
    }

    func setPassword(_ password: String, of subscriber: Subscriber, replacing mark: [UInt8]) async throws -> Bool {
        // Looked at first: what is worth nothing costs no hash.
        guard let id = id(of: subscriber), let version = try await database.passwordVersion(of: id),
            isEqualInConstantTime(Self.mark(version), mark)
        else { return false }
        let hash = try await verifier.hash(password)
        return try await database.setChosenPassword(hash: hash, of: id, version: version)
    }

    func erase(_ subscriber: Subscriber) async throws -> Bool {
        guard let id = id(of: subscriber) else { return false }
        return try await database.delete(id: id)
    }

    private static func mark(_ version: Int64) -> [UInt8] { withUnsafeBytes(of: version.bigEndian) { Array($0) } }

    private func subscriber(_ id: Int64) -> Subscriber { SQLiteSubscriberBackend.subscriber(id, backend: name) }

    private func id(of subscriber: Subscriber) -> Int64? {
        subscriber.backend == name ? SQLiteSubscriberBackend.id(of: subscriber) : nil
    }
}
