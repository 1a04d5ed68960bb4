import Testing

@testable import Conformance

@Suite("Order of timed requests")
struct BalancedOrderTests {
    @Test("balances positions and successors over as many rounds", arguments: [2, 4, 6, 20])
    func balanced(count: Int) {
        let rounds = (0..<count).map { BalancedOrder.round($0, of: count) }
        #expect(rounds.allSatisfy { $0.sorted() == Array(0..<count) })
        for place in 0..<count { #expect(Set(rounds.map { $0[place] }).count == count) }
        let neighbours = rounds.flatMap { round in zip(round, round.dropFirst()).map { [$0, $1] } }
        #expect(Set(neighbours).count == count * (count - 1) && neighbours.count == count * (count - 1))
    }

    @Test("repeats after a cycle, and alternates for two")
    func turns() {
        #expect((0..<4).map { BalancedOrder.round($0, of: 2) } == [[0, 1], [1, 0], [0, 1], [1, 0]])
        #expect(BalancedOrder.round(7, of: 4) == BalancedOrder.round(3, of: 4))
        #expect(BalancedOrder.round(3, of: 0) == [])
    }
}
