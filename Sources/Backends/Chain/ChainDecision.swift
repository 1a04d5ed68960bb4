/// Who of a chain is asked next, and what the answers so far come to: values in, actions out.
///
/// | a member answers | its rule | then |
/// | --- | --- | --- |
/// | recognised | `stop` | recognised, by it and by all before it that did |
/// | recognised | `next` | it is kept, and the next one decides |
/// | not recognised | `next` | the next one decides |
/// | not recognised | `stop` | as at the end |
/// | could not be asked | `next` | it is remembered, and the next one decides |
/// | could not be asked | `fail` | could not be asked |
/// | the end | | recognised, by all that did; else could not be asked, if one could not; else not recognised |
///
/// So a refusal is only ever said when everyone who had to be asked has refused (PITFALLS row 9). Answers count in the order
/// of the configuration, whichever comes first: asking all at once gives the answer that asking in order gives, sooner.
struct ChainDecision: Sendable {
    enum Answer: Sendable, CaseIterable {
        case recognised
        case notRecognised
        case unavailable
    }

    enum Outcome: Equatable, Sendable {
        /// - Parameter positions: of those who recognised, in their order; never empty.
        case recognised([Int])
        case notRecognised
        case unavailable
    }

    enum Action: Equatable, Sendable {
        case ask([Int])
        /// Somebody whose answer counts is still being asked.
        case wait
        case finish(Outcome)
    }

    private let rules: [ChainRule]
    private let order: ChainOrder
    private var answers: [Answer?]
    /// The first member whose answer does not count yet.
    private var position = 0
    private var recognised: [Int] = []
    private var isIncomplete = false

    /// - Parameter rules: of the members, at least one, in their order.
    init(_ rules: [ChainRule], order: ChainOrder) {
        self.rules = rules
        self.order = order
        answers = Array(repeating: nil, count: rules.count)
    }

    func start() -> Action {
        guard !rules.isEmpty else { return .finish(.unavailable) }
        return .ask(order == .inOrder ? [0] : Array(rules.indices))
    }

    /// Takes the answer of a member that was asked.
    mutating func take(_ answer: Answer, from member: Int) -> Action {
        answers[member] = answer
        while position < rules.count, let answer = answers[position] {
            let rule = rules[position]
            switch answer {
            case .recognised:
                recognised.append(position)
                if rule.recognised == .stop { return .finish(outcome) }
            case .notRecognised:
                if rule.notRecognised == .stop { return .finish(outcome) }
            case .unavailable:
                isIncomplete = true
                if rule.unavailable == .fail { return .finish(.unavailable) }
            }
            position += 1
        }
        if position == rules.count { return .finish(outcome) }
        return order == .inOrder ? .ask([position]) : .wait
    }

    private var outcome: Outcome {
        if !recognised.isEmpty { return .recognised(recognised) }
        return isIncomplete ? .unavailable : .notRecognised
    }
}
