import Foundation

/// In how many pairs the one was answered before the other, and whether that can be chance: the exact binomial test.
///
/// Each of the two must stand first in half of the pairs: a server that favours whatever stands first then favours neither, and
/// the count spreads less than the test assumes, never more.
package struct AnswerOrder: Sendable, Equatable {
    package private(set) var pairs = 0
    /// In how many the first of the two that are compared was ahead.
    package private(set) var ahead = 0

    package init() {}

    package mutating func count(isAhead: Bool) {
        pairs += 1
        if isAhead { ahead += 1 }
    }

    /// The share of pairs; a half where there are none.
    package var share: Double { pairs == 0 ? 0.5 : Double(ahead) / Double(pairs) }

    /// How likely a fair coin is to fall as unevenly, in either direction.
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
