import SQLAccess

@testable import State

extension SQLStateStore {
    /// The connections to the file of an embedded state.
    var pool: GuardedPool { (database as! SQLiteStateDatabase).guarded }
}
