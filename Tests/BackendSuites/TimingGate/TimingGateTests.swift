import BackendFixtures
import Conformance
import Foundation
import Synchronization
import TestSupport
import Testing

/// The whole program in front of each system, as readers reach it.
@Suite(
    "Timing gate: the time of a rejection does not reveal the reader", .serialized,
    .enabled(if: TimingGate.requested != nil, "requires deploy/test --timing"))
struct TimingGateTests {
    init() {
        if !Self.hasReportedMethod.exchange(true, ordering: .relaxed) { print(TimingGate.method) }
    }

    private static let hasReportedMethod = Atomic(false)

    @Test("The requested systems and pairs can be measured")
    func requested() throws {
        try TimingGate.check(TimingGate.requested ?? "all", pairs: TimingGate.pairs)
    }

    @Test(
        "Pitfall 6: alternating requests over HTTP/1", arguments: TimingGate.systems, TimedCache.allCases)
    func alternating(system: BackendFixtureCase, memory: TimedCache) async throws {
        try await FrontedSystem.run(system, preparing: { _, text in try TimedServer.extended(text) }) { fronted in
            let numbers = TimingRun.Numbers()
            var series = Dictionary(uniqueKeysWithValues: TimedReader.known.map { ($0, TimingSeries()) })
            // The times of the unknown reader that each known one is compared with.
            var (known, unknown): ([TimedReader: [Double]], [TimedReader: [Double]]) = ([:], [:])
            while series.values.contains(where: { !$0.isOver }) {
                let run = TimingRun(memory: memory, pairs: TimingGate.pairs, numbers: numbers)
                let times = try await run.alternating(fronted.http)
                for reader in TimedReader.known where series[reader]?.isOver == false {
                    // Excludes measurements made while only another reader's series continued.
                    known[reader, default: []] += times[reader] ?? []
                    unknown[reader, default: []] += times[.unknown] ?? []
                    let all = RankSumTest(known[reader] ?? [], unknown[reader] ?? [])
                    series[reader]?.add(
                        RankSumTest(times[reader] ?? [], times[.unknown] ?? []).p, pooled: all.p,
                        ratio: all.medians.0 / all.medians.1)
                }
            }
            for reader in TimedReader.known {
                let medians = RankSumTest(known[reader] ?? [], unknown[reader] ?? []).medians
                let isSound = series[reader]?.isSound == true
                let remark = String(format: "medians %.2f and %.2f ms", medians.0 * 1000, medians.1 * 1000)
                Self.report(system, memory, "HTTP/1", reader, series[reader], remark, isSound)
            }
        }
    }

    @Test("Pitfall 6: two requests in one record over HTTP/2", arguments: TimingGate.systems, TimedCache.allCases)
    func together(system: BackendFixtureCase, memory: TimedCache) async throws {
        try await FrontedSystem.run(
            system, preparing: { try await TimedServer.secure($1, in: $0) }
        ) { fronted in
            let root = try #require(Address("https://127.0.0.1:\(fronted.http.port)"))
            let numbers = TimingRun.Numbers()
            for reader in TimedReader.known {
                var series = TimingSeries()
                var all = ResponseOrder()
                while !series.isOver {
                    let run = TimingRun(memory: memory, pairs: TimingGate.pairs, numbers: numbers)
                    let order = try await run.together(reader, root)
                    for pair in 0..<order.pairs { all.count(isAhead: pair < order.ahead) }
                    series.add(order.p, pooled: all.p)
                }
                let remark = String(format: "ahead in %.1f %%", 100 * all.share)
                Self.report(system, memory, "HTTP/2", reader, series, remark, series.isSound)
            }
        }
    }

    private static func report(
        _ system: BackendFixtureCase, _ memory: TimedCache, _ protocolName: String, _ reader: TimedReader,
        _ series: TimingSeries?, _ remark: String, _ isSound: Bool
    ) {
        let columns = [(system.fixture.name, 20), (memory.rawValue, 5), (protocolName, 7), (reader.rawValue, 8)]
        let row =
            columns.map { $0.0.padding(toLength: $0.1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
            + "  \(isSound ? "sound" : "LEAKS")  p \(series?.description ?? "")  \(remark)"
        print(row)
        // Flushes at once, into a pipe as well, because the next row may take a minute.
        fflush(nil)
        if !isSound { Issue.record("\(row)") }
    }
}
