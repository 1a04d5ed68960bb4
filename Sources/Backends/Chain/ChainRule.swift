/// In which order a chain asks its members.
enum ChainOrder: String, CaseIterable, Sendable {
    case inOrder = "in_order"
    case allAtOnce = "all_at_once"
}

/// What each answer of one member does to the chain.
struct ChainRule: Sendable, Equatable {
    enum Recognised: String, CaseIterable, Sendable {
        /// The reader is this member's; nobody else is asked.
        case stop
        /// The reader is this member's, and may be others' besides.
        case next
    }

    enum NotRecognised: String, CaseIterable, Sendable {
        /// Another may know the reader.
        case next
        /// Nobody after this member is asked.
        case stop
    }

    enum Unavailable: String, CaseIterable, Sendable {
        /// Another may know the reader; without that, the whole chain could not be asked.
        case next
        /// The whole chain could not be asked.
        case fail
    }

    var recognised = Recognised.stop
    var notRecognised = NotRecognised.next
    var unavailable = Unavailable.next
}
