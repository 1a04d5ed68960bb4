import Testing

@Suite("Series of timing runs")
struct TimingSeriesTests {
    private func series(_ values: [Double], pooled: Double = 0.5) -> TimingSeries {
        var series = TimingSeries()
        for value in values { series.add(value, pooled: pooled) }
        return series
    }

    @Test("A series with three insignificant runs is sound, and otherwise it is repeated twice at most")
    func verdicts() {
        #expect(!series([0.5, 0.4]).isOver)
        #expect(series([0.5, 0.01, 0.4]).isSound && series([0.5, 0.01, 0.4]).isOver)
        #expect(!series([0.5, 0.009, 0.4]).isSound && !series([0.5, 0.009, 0.4]).isOver)
        #expect(series([0.5, 0.009, 0.4, 0.2, 0.3, 0.4]).isSound)
        let leak = series(Array(repeating: 0.001, count: 9))
        #expect(leak.isOver && !leak.isSound)
        #expect(series([0.5, 0.00001, 0.4]).description == "0.5000 <0.0001 0.4000 | all 0.5000")
    }

    @Test("A series with differing medians is repeated, and is not sound if they still differ")
    func medians() {
        var series = TimingSeries()
        for _ in 0..<3 { series.add(0.5, pooled: 0.5, ratio: 1.2) }
        #expect(!series.isOver && !series.isSound)
        for _ in 0..<3 { series.add(0.5, pooled: 0.5, ratio: 0.95) }
        #expect(series.isOver && series.isSound)
        var apart = TimingSeries()
        for _ in 0..<9 { apart.add(0.5, pooled: 0.5, ratio: 0.85) }
        #expect(apart.isOver && !apart.isSound)
    }

    @Test("Pitfall 6: a series is not sound if all pairs together are significant, even after a repetition")
    func pooled() {
        let lucky = series([0.5, 0.002, 0.4, 0.2, 0.3, 0.4], pooled: 0.00014)
        #expect(lucky.isOver && !lucky.isSound)
        #expect(lucky.description == "0.5000 0.0020 0.4000 | 0.2000 0.3000 0.4000 | all 0.0001")
        // The total includes the runs that caused the repetition, so a low p is expected.
        #expect(series([0.5, 0.002, 0.4, 0.2, 0.3, 0.4], pooled: 0.0002).isSound)
        // Three runs that each pass, but all lean to one side.
        let leaning = series([0.02, 0.03, 0.02], pooled: 0.00005)
        #expect(leaning.isOver && !leaning.isSound)
        #expect(series([0.02, 0.03, 0.02], pooled: 0.0002).isSound)
    }
}
