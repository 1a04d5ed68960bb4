/// The decision of a chain: the next members to query, and the outcome of the results so far. Values are the input,
/// actions the output.
///
/// | a member's result | its rule | then |
/// | --- | --- | --- |
/// | authenticated | `stop` | authenticated, by this member and all earlier ones that did |
/// | authenticated | `next` | the result is recorded, and the next member decides |
/// | rejected | `next` | the next member decides |
/// | rejected | `stop` | as at the end |
/// | failed | `next` | the failure is recorded, and the next member decides |
/// | failed | `fail` | failed |
/// | the end | | authenticated, by all that did; else failed, if one failed; else rejected |
///
/// A chain rejects only if every required member has rejected. Results count in the order of the configuration, not
/// of arrival. Concurrent queries therefore have the same outcome as queries in order, but sooner.
///
/// Source: Pitfall 9, “Outage and rejection confused”.
struct ChainDecision: Sendable {
    enum MemberOutcome: Sendable, CaseIterable {
        case authenticated
        case rejected
        case unavailable
    }

    enum Outcome: Equatable, Sendable {
        /// - Parameter positions: The members that authenticated the reader, in their order. Never empty.
        case authenticated([Int])
        case rejected
        case unavailable
    }

    enum Action: Equatable, Sendable {
        case query([Int])
        /// Waits for a member whose result counts and whose query is in progress.
        case wait
        case finish(Outcome)
    }

    private let rules: [ChainRule]
    private let order: ChainOrder
    private var results: [MemberOutcome?]
    /// The first member whose result does not count yet.
    private var position = 0
    private var authenticated: [Int] = []
    private var isIncomplete = false

    /// Creates a decision.
    ///
    /// - Parameter rules: The rules of the members in their order, at least one.
    init(_ rules: [ChainRule], order: ChainOrder) {
        self.rules = rules
        self.order = order
        results = Array(repeating: nil, count: rules.count)
    }

    func start() -> Action {
        guard !rules.isEmpty else { return .finish(.unavailable) }
        return .query(order == .inOrder ? [0] : Array(rules.indices))
    }

    /// Records the result of a queried member and returns the next action.
    mutating func take(_ result: MemberOutcome, from member: Int) -> Action {
        results[member] = result
        while position < rules.count, let result = results[position] {
            let rule = rules[position]
            switch result {
            case .authenticated:
                authenticated.append(position)
                if rule.authenticated == .stop { return .finish(outcome) }
            case .rejected:
                if rule.rejected == .stop { return .finish(outcome) }
            case .unavailable:
                isIncomplete = true
                if rule.unavailable == .fail { return .finish(.unavailable) }
            }
            position += 1
        }
        if position == rules.count { return .finish(outcome) }
        return order == .inOrder ? .query([position]) : .wait
    }

    private var outcome: Outcome {
        if !authenticated.isEmpty { return .authenticated(authenticated) }
        return isIncomplete ? .unavailable : .rejected
    }
}
