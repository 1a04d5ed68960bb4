/// A defect that replaces one part of the nodes by a defective one, to show that the simulation finds it.
enum PlantedFault: String, Sendable, CaseIterable {
    /// The follower reads the revocations after the last number that it read.
    case sequenceCursor = "sequence cursor"
    /// The counter of wrong logins is read and then written.
    case checkThenAct = "check-then-act counter"
    /// A worker whose lease has passed to another one releases the delivery.
    case unfencedLease = "unfenced lease"
    /// Each node deletes the revocations that have expired by its own clock.
    case localPruning = "prune by local clock"
    /// The nodes do not apply the facts of the others to their caches.
    case unsharedCache = "cache not invalidated across nodes"

    /// A part of the violation that the fault causes.
    var violation: String {
        switch self {
        case .sequenceCursor, .localPruning: "accepts a session of device"
        case .checkThenAct: "wrong passwords were revealed"
        case .unfencedLease: "claims delivery"
        case .unsharedCache: "accepts reader"
        }
    }
}
