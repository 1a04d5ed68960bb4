import Testing

@testable import Backends

@Suite("What the answers of a chain come to") struct ChainDecisionTests {
    private typealias Answer = ChainDecision.Answer

    private static let rules: [ChainRule] = ChainRule.Recognised.allCases.flatMap { recognised in
        ChainRule.NotRecognised.allCases.flatMap { notRecognised in
            ChainRule.Unavailable.allCases.map {
                ChainRule(recognised: recognised, notRecognised: notRecognised, unavailable: $0)
            }
        }
    }

    /// All lists of so many items.
    private static func lists<Item>(_ items: [Item], _ count: Int) -> [[Item]] {
        count == 0 ? [[]] : lists(items, count - 1).flatMap { list in items.map { list + [$0] } }
    }

    private static func orders(_ count: Int) -> [[Int]] {
        lists(Array(0..<count), count).filter { Set($0).count == count }
    }

    /// The rules in other words: the answers up to the first that ends the chain, and what they hold together.
    private static func specified(_ rules: [ChainRule], _ answers: [Answer]) -> (ChainDecision.Outcome, asked: Int) {
        let last =
            zip(rules, answers).enumerated().first { _, pair in
                switch pair {
                case (let rule, .recognised): rule.recognised == .stop
                case (let rule, .notRecognised): rule.notRecognised == .stop
                case (let rule, .unavailable): rule.unavailable == .fail
                }
            }?.offset ?? rules.count - 1
        let counting = answers[...last]
        if counting.last == .unavailable, rules[last].unavailable == .fail { return (.unavailable, last + 1) }
        let found = counting.indices.filter { counting[$0] == .recognised }
        if !found.isEmpty { return (.recognised(found), last + 1) }
        return (counting.contains(.unavailable) ? .unavailable : .notRecognised, last + 1)
    }

    @Test("in order: every rule with every answer of up to three members", arguments: 1...3)
    func inOrder(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for answers in Self.lists(Answer.allCases, count) {
                var decision = ChainDecision(rules, order: .inOrder)
                var asked: [Int] = []
                var action = decision.start()
                while case .ask(let positions) = action, let position = positions.first, asked.count < count {
                    guard positions.count == 1 else { break }
                    asked.append(position)
                    action = decision.take(answers[position], from: position)
                }
                let (outcome, last) = Self.specified(rules, answers)
                guard action == .finish(outcome), asked == Array(0..<last) else {
                    Issue.record("\(rules) \(answers): \(action), asked \(asked), expected \(outcome)")
                    return
                }
            }
        }
    }

    @Test("all at once: the same answer in whatever order they come, and no sooner than it is sure", arguments: 1...3)
    func allAtOnce(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for answers in Self.lists(Answer.allCases, count) {
                let (outcome, last) = Self.specified(rules, answers)
                for order in Self.orders(count) {
                    var decision = ChainDecision(rules, order: .allAtOnce)
                    var action = decision.start()
                    guard action == .ask(Array(0..<count)) else {
                        Issue.record("asked \(action)")
                        return
                    }
                    var come: Set<Int> = []
                    for position in order {
                        guard action == .wait || come.isEmpty else { break }
                        come.insert(position)
                        action = decision.take(answers[position], from: position)
                        let isSure = come.isSuperset(of: 0..<last)
                        guard action == (isSure ? .finish(outcome) : .wait) else {
                            Issue.record("\(rules) \(answers) \(order) after \(come): \(action), expected \(outcome)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: with a member that could not be asked nobody is ever refused", arguments: 1...3)
    func neverRefused(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for answers in Self.lists(Answer.allCases, count) {
                let (outcome, asked) = Self.specified(rules, answers)
                if answers[..<asked].contains(.unavailable) { #expect(outcome != .notRecognised) }
                if case .recognised(let found) = outcome { #expect(found.allSatisfy { answers[$0] == .recognised }) }
            }
        }
    }
}
