import BackendFixtures
import Testing

@Suite("Selection of deploy/test --timing")
struct TimingGateSelectionTests {
    @Test("All systems or some by name can be requested")
    func good() throws {
        let names = BackendFixtureCase.all.map { $0.fixture.name }
        for requested in ["all", names[0], names.joined(separator: ",")] { try TimingGate.check(requested, pairs: 100) }
    }

    @Test("Pitfall 6: a wrong name or too few pairs are an error, so that the gate is not skipped")
    func bad() throws {
        let name = try #require(BackendFixtureCase.all.first).fixture.name
        for (requested, strange) in [
            ("nowhere", "nowhere"), ("\(name),nowhere", "nowhere"), ("", ""), ("\(name),", ""), ("all,\(name)", "all"),
        ] {
            #expect(throws: TimingGate.Unmeasurable.systems([strange])) { try TimingGate.check(requested, pairs: 500) }
        }
        for pairs in [-1, 0, 99] {
            #expect(throws: TimingGate.Unmeasurable.pairs(pairs)) { try TimingGate.check("all", pairs: pairs) }
        }
    }
}
