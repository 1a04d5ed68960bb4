import TestSupport
import Testing

@testable import Protections

@Suite("The circuit breaker")
struct BreakerStateTests {
    private var settings: BreakerSettings { BreakerSettings() }

    private func fail(_ breaker: inout BreakerState, _ times: Int, at now: Double) throws -> [BreakerState.Change?] {
        try (0..<times).map { _ in
            let pass = try #require(breaker.admit(at: now) as BreakerState.Pass?)
            return breaker.report(.failed, pass, at: now, jitter: 0)
        }
    }

    @Test("opens with the failure that is one too many, and not before")
    func opening() throws {
        var breaker = BreakerState(settings)
        #expect(try fail(&breaker, 5, at: 0) == [nil, nil, nil, nil, .opened])
        #expect(breaker.admit(at: 0) == nil)
        #expect(breaker.position(at: 0) == .open)
        #expect(breaker.admit(at: 9.9) == nil)
        #expect(breaker.position(at: 10) == .halfOpen)
    }

    @Test("failures that lie further apart than the window do not open it")
    func window() throws {
        var breaker = BreakerState(settings)
        for number in 0..<20 { #expect(try fail(&breaker, 1, at: Double(number) * 8) == [nil]) }
        #expect(try fail(&breaker, 1, at: 153) == [.opened])
    }

    @Test("few failures among many answers do not open it")
    func share() throws {
        var breaker = BreakerState(settings)
        for number in 0..<100 {
            let pass = try #require(breaker.admit(at: 1) as BreakerState.Pass?)
            #expect(breaker.report(number % 3 == 0 ? .failed : .answered, pass, at: 1, jitter: 0) == nil)
        }
        #expect(breaker.position(at: 1) == .closed)
    }

    @Test("what says nothing about the backend neither opens nor closes it, and frees the probe's place")
    func undecided() throws {
        var breaker = BreakerState(settings)
        for _ in 0..<50 {
            let pass = try #require(breaker.admit(at: 0) as BreakerState.Pass?)
            #expect(breaker.report(.undecided, pass, at: 0, jitter: 0) == nil)
        }
        _ = try fail(&breaker, 5, at: 0)
        let probe = try #require(breaker.admit(at: 11) as BreakerState.Pass?)
        #expect(breaker.admit(at: 11) == nil)
        #expect(breaker.report(.undecided, probe, at: 11, jitter: 0) == nil)
        #expect(breaker.position(at: 11) == .halfOpen)
        #expect(breaker.admit(at: 11) != nil)
    }

    @Test("a probe that is answered closes it, one that fails opens it again")
    func probes() throws {
        var breaker = BreakerState(settings)
        _ = try fail(&breaker, 5, at: 0)
        let first = try #require(breaker.admit(at: 10) as BreakerState.Pass?)
        #expect(breaker.report(.failed, first, at: 10, jitter: 0) == .opened)
        #expect(breaker.admit(at: 19) == nil)
        let second = try #require(breaker.admit(at: 20) as BreakerState.Pass?)
        #expect(breaker.report(.answered, second, at: 20, jitter: 0) == .closed)
        #expect(try fail(&breaker, 4, at: 21) == [nil, nil, nil, nil])
        #expect(breaker.position(at: 21) == .closed)
    }

    @Test("late news from before it opened or closed changes nothing, and such a question is no longer to be asked")
    func lateNews() throws {
        var breaker = BreakerState(settings)
        let early = try #require(breaker.admit(at: 0) as BreakerState.Pass?)
        let waiting = try #require(breaker.admit(at: 0) as BreakerState.Pass?)
        _ = try fail(&breaker, 5, at: 0)
        #expect(!breaker.stillAdmits(waiting))
        #expect(breaker.report(.answered, early, at: 1, jitter: 0) == nil)
        #expect(breaker.position(at: 1) == .open)
        let probe = try #require(breaker.admit(at: 10) as BreakerState.Pass?)
        #expect(breaker.report(.failed, waiting, at: 10, jitter: 0) == nil)
        #expect(breaker.report(.answered, probe, at: 10, jitter: 0) == .closed)
    }

    @Test("the time it stays open is lengthened by up to a fifth")
    func jitter() throws {
        for (jitter, end) in [(0.0, 10.0), (0.5, 11.0), (1.0, 12.0)] {
            var breaker = BreakerState(settings)
            _ = try fail(&breaker, 4, at: 0)
            let pass = try #require(breaker.admit(at: 0) as BreakerState.Pass?)
            #expect(breaker.report(.failed, pass, at: 0, jitter: jitter) == .opened)
            #expect(breaker.admit(at: end - 0.01) == nil)
            #expect(breaker.admit(at: end) != nil)
        }
    }

    @Test("never lets more probes through than configured, whatever happens", arguments: 1...20)
    func manyProbes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var settings = settings
        settings.probes = 3
        settings.failures = 1
        var breaker = BreakerState(settings)
        var now = 0.0
        var held: [BreakerState.Pass] = []
        for _ in 0..<3_000 {
            now += Double.random(in: 0..<4, using: &random)
            if Bool.random(using: &random), let pass = breaker.admit(at: now) {
                held.append(pass)
            } else if !held.isEmpty {
                let pass = held.remove(at: Int.random(in: 0..<held.count, using: &random))
                let outcomes: [BreakerState.Outcome] = [.answered, .failed, .undecided]
                _ = breaker.report(outcomes[Int.random(in: 0..<3, using: &random)], pass, at: now, jitter: 0)
            }
            if breaker.position(at: now) == .halfOpen {
                #expect(held.filter { breaker.stillAdmits($0) }.count <= 3)
            }
        }
    }
}
