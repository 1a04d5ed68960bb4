import Foundation

/// Mann and Whitney's test (1947) of whether two samples come from one distribution. It uses ranks only, so neither
/// outliers nor the shape of the distribution matter.
package struct RankSumTest: Sendable {
    /// The standard score of U, corrected for ties. It is approximately normal for samples of more than twenty
    /// values.
    package let z: Double
    package let medians: (Double, Double)

    /// The probability that two samples of one distribution differ at least as much, in either direction.
    package var p: Double { erfc(abs(z) / 2.0.squareRoot()) }

    package init(_ left: [Double], _ right: [Double]) {
        let all = (left.map { ($0, true) } + right.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var rankSum = 0.0
        var ties = 0.0
        var start = 0
        while start < all.count {
            var end = start
            while end < all.count, all[end].0 == all[start].0 { end += 1 }
            // Equal values share the mean of their ranks. Ranks begin at 1.
            let rank = Double(start + 1 + end) / 2
            rankSum += rank * Double(all[start..<end].count { $0.1 })
            let size = Double(end - start)
            ties += size * size * size - size
            start = end
        }
        let (m, n, total) = (Double(left.count), Double(right.count), Double(all.count))
        let u = rankSum - m * (m + 1) / 2
        let variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
        z = variance > 0 ? (u - m * n / 2) / variance.squareRoot() : 0
        medians = (Self.median(left), Self.median(right))
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
