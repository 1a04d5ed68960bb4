/// Holm's procedure (1979) for several comparisons at once: where nothing differs in any of them, chance has one told no more often
/// than it would a single comparison, however they depend on one another.
enum Holm {
    /// Whether each p tells something: the least of n has to be below the n-th part of the threshold, the next below the part that
    /// is left to the others, and so on until one is not.
    static func areSignificant(_ values: [Double], below threshold: Double) -> [Bool] {
        var verdicts = [Bool](repeating: false, count: values.count)
        let ascending = values.indices.sorted { values[$0] < values[$1] }
        for (told, index) in ascending.enumerated() {
            guard values[index] < threshold / Double(values.count - told) else { break }
            verdicts[index] = true
        }
        return verdicts
    }
}
