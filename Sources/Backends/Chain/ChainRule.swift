/// The order in which a chain queries its members.
enum ChainOrder: String, CaseIterable, Sendable {
    case inOrder = "sequential"
    case parallel = "parallel"
}

/// The effect of each result of one member on the chain.
struct ChainRule: Sendable, Equatable {
    enum AuthenticatedAction: String, CaseIterable, Sendable {
        /// The reader belongs to this member; no other member is queried.
        case stop
        /// The reader belongs to this member and may also belong to others.
        case next
    }

    enum RejectedAction: String, CaseIterable, Sendable {
        /// Another member may know the reader.
        case next
        /// No later member is queried.
        case stop
    }

    enum Unavailable: String, CaseIterable, Sendable {
        /// Another member may know the reader. If none does, the whole chain fails.
        case next
        /// The whole chain fails.
        case fail
    }

    var authenticated = AuthenticatedAction.stop
    var rejected = RejectedAction.next
    var unavailable = Unavailable.next
}
