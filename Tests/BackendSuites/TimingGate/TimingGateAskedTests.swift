import BackendBenches
import Testing

@Suite("What deploy/test --timing is asked for")
struct TimingGateAskedTests {
    @Test("is all systems, or some of them by name")
    func good() throws {
        let names = BenchCase.all.map { $0.bench.name }
        for asked in ["all", names[0], names.joined(separator: ",")] { try TimingGate.check(asked, pairs: 100) }
    }

    @Test("Pitfall 6: is not passed by when a name is wrong or nothing is left to measure")
    func bad() throws {
        let name = try #require(BenchCase.all.first).bench.name
        for (asked, strange) in [
            ("nowhere", "nowhere"), ("\(name),nowhere", "nowhere"), ("", ""), ("\(name),", ""), ("all,\(name)", "all"),
        ] {
            #expect(throws: TimingGate.Unmeasurable.systems([strange])) { try TimingGate.check(asked, pairs: 500) }
        }
        for pairs in [-1, 0, 99] {
            #expect(throws: TimingGate.Unmeasurable.pairs(pairs)) { try TimingGate.check("all", pairs: pairs) }
        }
    }
}
