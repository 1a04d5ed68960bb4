/// The role of a user of the admin API. Each role may do what the ones before it may.
package enum AdminRole: String, Sendable, CaseIterable, Comparable {
    /// Reads what names no person: publications, editions, backends, campaigns.
    case viewer
    /// Reads and helps readers: devices, sessions, purchases.
    case support
    /// Operates the service: caches, deliveries, the audit log.
    case `operator`
    /// Everything.
    case admin

    package static func < (left: AdminRole, right: AdminRole) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .support: 1
        case .operator: 2
        case .admin: 3
        }
    }
}
