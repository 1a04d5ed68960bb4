import Dispatch
import PasswordHashing
import Synchronization

/// Hashes the plain passwords of a batch of rows.
struct ImportPasswords: Sendable {
    let hasher: PasswordHasher
    let form: SubscriberImport.PasswordFormat

    /// Hashes on all cores in parallel. Blocks the caller until all rows have their hashes.
    func hash(_ rows: [ImportRow], hasPasswords: Bool) throws(PasswordError) -> [ImportRow] {
        guard hasPasswords else { return rows }
        let failure = Mutex<PasswordError?>(nil)
        let hashed = Mutex(rows)
        DispatchQueue.concurrentPerform(iterations: rows.count) { index in
            guard let password = rows[index].password, failure.withLock({ $0 == nil }) else { return }
            do throws(PasswordError) {
                let hash =
                    switch form {
                    case .slow: try hasher.hash(password)
                    case .keyed: try hasher.keyedHash(password)
                    }
                hashed.withLock {
                    $0[index].passwordHash = hash
                    $0[index].password = nil
                }
            } catch {
                failure.withLock { $0 = error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        return hashed.withLock { $0 }
    }
}
