/// Holm's procedure (1979) for several simultaneous comparisons. If no comparison has a real difference, the
/// probability of any false finding is at most that of a single comparison, however the comparisons depend on each
/// other.
enum Holm {
    /// Returns whether each p value is significant. The smallest of n values must be below the threshold divided by
    /// n, the next below the threshold divided by n − 1, and so on until one is not.
    static func areSignificant(_ values: [Double], below threshold: Double) -> [Bool] {
        var verdicts = [Bool](repeating: false, count: values.count)
        let ascending = values.indices.sorted { values[$0] < values[$1] }
        for (reported, index) in ascending.enumerated() {
            guard values[index] < threshold / Double(values.count - reported) else { break }
            verdicts[index] = true
        }
        return verdicts
    }
}
