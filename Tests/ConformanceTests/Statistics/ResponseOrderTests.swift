import Testing

@testable import Conformance

@Suite("Order of paired responses")
struct ResponseOrderTests {
    private func order(_ ahead: Int, of pairs: Int) -> ResponseOrder {
        var order = ResponseOrder()
        for number in 0..<pairs { order.count(isAhead: number < ahead) }
        return order
    }

    @Test(
        "is judged by the exact binomial test",
        arguments: [
            (5, 10, 1.0), (0, 10, 2.0 / 1024), (10, 10, 2.0 / 1024), (1, 10, 22.0 / 1024), (0, 0, 1.0),
            (60, 100, 0.05689),
        ])
    func p(ahead: Int, pairs: Int, expected: Double) {
        #expect(abs(order(ahead, of: pairs).p - expected) < 0.00001)
    }

    @Test("stays finite for very many pairs")
    func many() {
        #expect(order(4_700, of: 10_000).p < 1e-8 && order(5_000, of: 10_000).p == 1)
        #expect(order(0, of: 0).share == 0.5 && order(1, of: 4).share == 0.25)
    }
}
