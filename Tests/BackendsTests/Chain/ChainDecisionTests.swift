import Testing

@testable import Backends

@Suite("Chain decisions") struct ChainDecisionTests {
    private typealias MemberOutcome = ChainDecision.MemberOutcome

    private static let rules: [ChainRule] = ChainRule.AuthenticatedAction.allCases.flatMap { authenticated in
        ChainRule.RejectedAction.allCases.flatMap { rejected in
            ChainRule.Unavailable.allCases.map {
                ChainRule(authenticated: authenticated, rejected: rejected, unavailable: $0)
            }
        }
    }

    /// All lists of the given length.
    private static func lists<Item>(_ items: [Item], _ count: Int) -> [[Item]] {
        count == 0 ? [[]] : lists(items, count - 1).flatMap { list in items.map { list + [$0] } }
    }

    private static func orders(_ count: Int) -> [[Int]] {
        lists(Array(0..<count), count).filter { Set($0).count == count }
    }

    /// A second formulation of the rules: take the results up to the first that ends the chain, and combine them.
    private static func specified(_ rules: [ChainRule], _ results: [MemberOutcome]) -> (
        ChainDecision.Outcome, queried: Int
    ) {
        let last =
            zip(rules, results).enumerated().first { _, pair in
                switch pair {
                case (let rule, .authenticated): rule.authenticated == .stop
                case (let rule, .rejected): rule.rejected == .stop
                case (let rule, .unavailable): rule.unavailable == .fail
                }
            }?.offset ?? rules.count - 1
        let counting = results[...last]
        if counting.last == .unavailable, rules[last].unavailable == .fail { return (.unavailable, last + 1) }
        let found = counting.indices.filter { counting[$0] == .authenticated }
        if !found.isEmpty { return (.authenticated(found), last + 1) }
        return (counting.contains(.unavailable) ? .unavailable : .rejected, last + 1)
    }

    @Test("Sequential order: every rule with every result of up to three members", arguments: 1...3)
    func inOrder(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for results in Self.lists(MemberOutcome.allCases, count) {
                var decision = ChainDecision(rules, order: .inOrder)
                var queried: [Int] = []
                var action = decision.start()
                while case .query(let positions) = action, let position = positions.first, queried.count < count {
                    guard positions.count == 1 else { break }
                    queried.append(position)
                    action = decision.take(results[position], from: position)
                }
                let (outcome, last) = Self.specified(rules, results)
                guard action == .finish(outcome), queried == Array(0..<last) else {
                    Issue.record("\(rules) \(results): \(action), queried \(queried), expected \(outcome)")
                    return
                }
            }
        }
    }

    @Test("Parallel order: the same outcome for any order of arrival, as soon as it is certain", arguments: 1...3)
    func parallel(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for results in Self.lists(MemberOutcome.allCases, count) {
                let (outcome, last) = Self.specified(rules, results)
                for order in Self.orders(count) {
                    var decision = ChainDecision(rules, order: .parallel)
                    var action = decision.start()
                    guard action == .query(Array(0..<count)) else {
                        Issue.record("queried \(action)")
                        return
                    }
                    var come: Set<Int> = []
                    for position in order {
                        guard action == .wait || come.isEmpty else { break }
                        come.insert(position)
                        action = decision.take(results[position], from: position)
                        let isSure = come.isSuperset(of: 0..<last)
                        guard action == (isSure ? .finish(outcome) : .wait) else {
                            Issue.record("\(rules) \(results) \(order) after \(come): \(action), expected \(outcome)")
                            return
                        }
                    }
                }
            }
        }
    }

    @Test("Pitfall 9: an unavailable member never leads to a rejection", arguments: 1...3)
    func neverRejected(count: Int) {
        for rules in Self.lists(Self.rules, count) {
            for results in Self.lists(MemberOutcome.allCases, count) {
                let (outcome, queried) = Self.specified(rules, results)
                if results[..<queried].contains(.unavailable) { #expect(outcome != .rejected) }
                if case .authenticated(let found) = outcome {
                    #expect(found.allSatisfy { results[$0] == .authenticated })
                }
            }
        }
    }
}
