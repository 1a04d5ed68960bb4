import Foundation
import Gatefold
import PasswordHashing
import Primitives

/// Migration of readers from another system. Passwords are stored as yescrypt hashes, rows are marked as migrated,
/// and no row of the operator or of another system's reader is replaced.
extension SubscriberDatabaseBackend: LazyMigrationTarget {
    func migrate(
        _ credentials: Credentials, from origins: [LazyMigrationOrigin], subscription: Subscription
    ) async throws -> LazyMigrationOutcome {
        try await migrate(credentials, from: origins, subscription: subscription) { _ in }
    }

    /// Migrates a reader as above.
    ///
    /// - Parameter willChange: Receives each subscriber who is about to be written or deleted. They may be changed even if
    ///   the call throws an error.
    func migrate(
        _ credentials: Credentials, from origins: [LazyMigrationOrigin], subscription: Subscription,
        willChange: @escaping @Sendable (Subscriber) -> Void
    ) async throws -> LazyMigrationOutcome {
        guard let proof, let typed = credentials[proof.field],
            let reader = MigratedReader(credentials.identifier, subscription, at: clock.now)
        else { return .ownedByOperator }
        let password = proof.folds ? CredentialFields.fold(typed) : typed
        let present = try await database.find(reader.identifier)
        let hash: String
        switch LazyMigrationSlot(for: origins, present: present?.lazyMigrationSlot) {
        case .ownedByOperator: return .ownedByOperator
        case .others(let backend): return .ownedByOtherBackend(backend: backend)
        case .newRow, .replacing: hash = try await verifier.hash(password)
        case .sameRow:
            if let present, present.chosen != nil, let chosen = present.passwordHash {
                hash = chosen
            } else {
                hash = try await self.hash(password, reusing: present?.passwordHash)
            }
            if let present, isEqualInConstantTime(Array(hash.utf8), Array((present.passwordHash ?? "").utf8)),
                reader.isAlready(present)
            {
                return .unchanged
            }
        }
        // Checks the row again, because another writer may have changed it during hashing.
        return try await database.write(reader, from: origins, hash: hash) { [name] id in
            willChange(Self.subscriber(id, backend: name))
        }
    }

    /// Returns the stored hash if it matches this password, otherwise a new hash.
    private func hash(_ password: String, reusing stored: String?) async throws -> String {
        if let stored, case .right(let upgradedHash) = try await verifier.check(password, against: stored) {
            return upgradedHash ?? stored
        }
        return try await verifier.hash(password)
    }
}
