import Foundation
import Gatefold

/// Readers taken over from another system: as yescrypt hashes, marked, and never in place of what the operator wrote or of
/// another system's reader.
extension SQLiteSubscriberBackend: SubscriberAdopter {
    func adopt(
        _ credentials: Credentials, from origins: [AdoptionOrigin], subscription: Subscription
    ) async throws -> AdoptionOutcome {
        guard let proof, let typed = credentials[proof.field],
            let reader = AdoptedReader(credentials.identifier, subscription, at: clock.now)
        else { return .notOurs }
        let password = proof.folds ? CredentialFields.fold(typed) : typed
        let present = try await database.find(reader.identifier)
        let hash: String
        switch AdoptionPlace(for: origins, present: present?.adoptionPlace) {
        case .operators: return .notOurs
        case .others(let backend): return .othersReader(backend: backend)
        case .newRow, .inPlaceOf: hash = try await verifier.hash(password)
        case .sameRow:
            if let present, present.chosen != nil, let chosen = present.passwordHash {
                hash = chosen
            } else {
                hash = try await self.hash(password, keeping: present?.passwordHash)
            }
            if let present, isEqualInConstantTime(Array(hash.utf8), Array((present.passwordHash ?? "").utf8)),
                reader.isAlready(present)
            {
                return .unchanged
            }
        }
        // Looks again: another writer may have been there while we hashed.
        return try await database.write(reader, from: origins, hash: hash)
    }

    /// The stored hash where it is one of this password, else a new one.
    private func hash(_ password: String, keeping stored: String?) async throws -> String {
        if let stored, case .right(let betterHash) = try await verifier.check(password, against: stored) {
            return betterHash ?? stored
        }
        return try await verifier.hash(password)
    }
}
