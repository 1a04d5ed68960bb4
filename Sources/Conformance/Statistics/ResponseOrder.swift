import Foundation

/// The number of pairs in which one response came before the other, and the exact binomial test of that number.
///
/// Each of the two requests must be sent first in half of the pairs. A server that favours the first request then
/// favours neither, and the number varies less than the test assumes, never more.
package struct ResponseOrder: Sendable, Equatable {
    package private(set) var pairs = 0
    /// The number of pairs in which the first of the two compared responses came first.
    package private(set) var ahead = 0

    package init() {}

    package mutating func count(isAhead: Bool) {
        pairs += 1
        if isAhead { ahead += 1 }
    }

    /// The share of pairs in which the first came first; 0.5 if there are no pairs.
    package var share: Double { pairs == 0 ? 0.5 : Double(ahead) / Double(pairs) }

    /// The probability that a fair coin falls at least as unevenly, in either direction.
    package var p: Double {
        let n = Double(pairs)
        let fewer = min(ahead, pairs - ahead)
        let all = (0...fewer).reduce(0.0) { sum, k in
            let ways = lgamma(n + 1) - lgamma(Double(k) + 1) - lgamma(n - Double(k) + 1)
            return sum + exp(ways - n * log(2))
        }
        return min(1, 2 * all)
    }
}
