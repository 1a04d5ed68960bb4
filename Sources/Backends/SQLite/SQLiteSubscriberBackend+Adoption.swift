import Foundation
import Gatefold

/// Readers taken over from another system: as yescrypt hashes, marked, and never in place of what the operator wrote.
extension SQLiteSubscriberBackend: SubscriberAdopter {
    func adopt(_ credentials: Credentials, subscription: Subscription) async throws -> AdoptionOutcome {
        guard let proof, let typed = credentials[proof.field],
            let reader = AdoptedReader(credentials.identifier, subscription, at: clock.now)
        else { return .notOurs }
        let password = proof.folds ? CredentialFields.fold(typed) : typed
        let present = try await database.find(reader.identifier)
        if let present, present.adopted == nil { return .notOurs }
        let hash = try await hash(password, keeping: present?.passwordHash)
        if let present, isEqualInConstantTime(Array(hash.utf8), Array((present.passwordHash ?? "").utf8)),
            reader.isAlready(present)
        {
            return .unchanged
        }
        return try await database.write(reader, hash: hash) ? .written : .notOurs
    }

    /// The stored hash where it is one of this password, else a new one.
    private func hash(_ password: String, keeping stored: String?) async throws -> String {
        if let stored, case .right(let betterHash) = try await verifier.check(password, against: stored) {
            return betterHash ?? stored
        }
        return try await verifier.hash(password)
    }
}
