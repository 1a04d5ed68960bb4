import TestSupport
import Testing

@testable import Resilience

@Suite("Circuit breaker state")
struct BreakerStateTests {
    private var settings: BreakerSettings { BreakerSettings() }

    private func fail(_ breaker: inout BreakerState, _ times: Int, at now: Double) throws -> [BreakerState.Change?] {
        try (0..<times).map { _ in
            let permit = try #require(breaker.admit(at: now) as BreakerState.Permit?)
            return breaker.report(.failed, permit, at: now, jitter: 0)
        }
    }

    @Test("Opens exactly at the failure limit")
    func opening() throws {
        var breaker = BreakerState(settings)
        #expect(try fail(&breaker, 5, at: 0) == [nil, nil, nil, nil, .opened])
        #expect(breaker.admit(at: 0) == nil)
        #expect(breaker.breakerState(at: 0) == .open)
        #expect(breaker.admit(at: 9.9) == nil)
        #expect(breaker.breakerState(at: 10) == .halfOpen)
    }

    @Test("Failures outside the window do not open it")
    func window() throws {
        var breaker = BreakerState(settings)
        for number in 0..<20 { #expect(try fail(&breaker, 1, at: Double(number) * 8) == [nil]) }
        #expect(try fail(&breaker, 1, at: 153) == [.opened])
    }

    @Test("A low share of failures does not open it")
    func share() throws {
        var breaker = BreakerState(settings)
        for number in 0..<100 {
            let permit = try #require(breaker.admit(at: 1) as BreakerState.Permit?)
            #expect(breaker.report(number % 3 == 0 ? .failed : .responded, permit, at: 1, jitter: 0) == nil)
        }
        #expect(breaker.breakerState(at: 1) == .closed)
    }

    @Test("An undecided outcome neither opens nor closes it, and frees the probe")
    func undecided() throws {
        var breaker = BreakerState(settings)
        for _ in 0..<50 {
            let permit = try #require(breaker.admit(at: 0) as BreakerState.Permit?)
            #expect(breaker.report(.undecided, permit, at: 0, jitter: 0) == nil)
        }
        _ = try fail(&breaker, 5, at: 0)
        let probe = try #require(breaker.admit(at: 11) as BreakerState.Permit?)
        #expect(breaker.admit(at: 11) == nil)
        #expect(breaker.report(.undecided, probe, at: 11, jitter: 0) == nil)
        #expect(breaker.breakerState(at: 11) == .halfOpen)
        #expect(breaker.admit(at: 11) != nil)
    }

    @Test("A successful probe closes it and a failed one opens it again")
    func probes() throws {
        var breaker = BreakerState(settings)
        _ = try fail(&breaker, 5, at: 0)
        let first = try #require(breaker.admit(at: 10) as BreakerState.Permit?)
        #expect(breaker.report(.failed, first, at: 10, jitter: 0) == .opened)
        #expect(breaker.admit(at: 19) == nil)
        let second = try #require(breaker.admit(at: 20) as BreakerState.Permit?)
        #expect(breaker.report(.responded, second, at: 20, jitter: 0) == .closed)
        #expect(try fail(&breaker, 4, at: 21) == [nil, nil, nil, nil])
        #expect(breaker.breakerState(at: 21) == .closed)
    }

    @Test("Ignores a late report from before a state change, and revokes the admission of waiting calls")
    func lateReport() throws {
        var breaker = BreakerState(settings)
        let early = try #require(breaker.admit(at: 0) as BreakerState.Permit?)
        let waiting = try #require(breaker.admit(at: 0) as BreakerState.Permit?)
        _ = try fail(&breaker, 5, at: 0)
        #expect(!breaker.stillAdmits(waiting))
        #expect(breaker.report(.responded, early, at: 1, jitter: 0) == nil)
        #expect(breaker.breakerState(at: 1) == .open)
        let probe = try #require(breaker.admit(at: 10) as BreakerState.Permit?)
        #expect(breaker.report(.failed, waiting, at: 10, jitter: 0) == nil)
        #expect(breaker.report(.responded, probe, at: 10, jitter: 0) == .closed)
    }

    @Test("Jitter extends the open time by up to a fifth")
    func jitter() throws {
        for (jitter, end) in [(0.0, 10.0), (0.5, 11.0), (1.0, 12.0)] {
            var breaker = BreakerState(settings)
            _ = try fail(&breaker, 4, at: 0)
            let permit = try #require(breaker.admit(at: 0) as BreakerState.Permit?)
            #expect(breaker.report(.failed, permit, at: 0, jitter: jitter) == .opened)
            #expect(breaker.admit(at: end - 0.01) == nil)
            #expect(breaker.admit(at: end) != nil)
        }
    }

    @Test("Never admits more probes than configured", arguments: 1...20)
    func manyProbes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var settings = settings
        settings.probes = 3
        settings.failures = 1
        var breaker = BreakerState(settings)
        var now = 0.0
        var held: [BreakerState.Permit] = []
        for _ in 0..<3_000 {
            now += Double.random(in: 0..<4, using: &random)
            if Bool.random(using: &random), let permit = breaker.admit(at: now) {
                held.append(permit)
            } else if !held.isEmpty {
                let permit = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                let outcomes: [BreakerState.Outcome] = [.responded, .failed, .undecided]
                _ = breaker.report(outcomes[Int.random(in: 0..<3, using: &random)], permit, at: now, jitter: 0)
            }
            if breaker.breakerState(at: now) == .halfOpen {
                #expect(held.filter { breaker.stillAdmits($0) }.count <= 3)
            }
        }
    }
}
