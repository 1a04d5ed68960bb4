import BackendBenches
import Conformance
import Foundation
import Synchronization
import TestSupport
import Testing

/// The whole program in front of each system, as readers reach it.
@Suite(
    "Who signs in can not be told from the time of a refusal", .serialized,
    .enabled(if: TimingGate.asked != nil, "deploy/test --timing asks for it"))
struct TimingGateTests {
    init() {
        if !Self.hasToldMethod.exchange(true, ordering: .relaxed) { print(TimingGate.method) }
    }

    private static let hasToldMethod = Atomic(false)

    @Test("what was asked for can be measured")
    func asked() throws {
        try TimingGate.check(TimingGate.asked ?? "all", pairs: TimingGate.pairs)
    }

    @Test(
        "Pitfall 6: over HTTP/1, by turns", arguments: TimingGate.systems, TimedMemory.allCases)
    func byTurns(system: BenchCase, memory: TimedMemory) async throws {
        try await FrontedSystem.run(system, preparing: { _, text in try TimedServer.patient(text) }) { fronted in
            let numbers = TimingRun.Numbers()
            var series = Dictionary(uniqueKeysWithValues: TimedReader.known.map { ($0, TimingSeries()) })
            // Of the unknown reader, what each known one is compared with.
            var (known, unknown): ([TimedReader: [Double]], [TimedReader: [Double]]) = ([:], [:])
            while series.values.contains(where: { !$0.isOver }) {
                let run = TimingRun(memory: memory, pairs: TimingGate.pairs, numbers: numbers)
                let times = try await run.byTurns(fronted.http)
                for reader in TimedReader.known where series[reader]?.isOver == false {
                    // What was measured while another reader's series went on is not this one's.
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

    @Test("Pitfall 6: over HTTP/2, two in one record", arguments: TimingGate.systems, TimedMemory.allCases)
    func together(system: BenchCase, memory: TimedMemory) async throws {
        try await FrontedSystem.run(
            system, preparing: { try await TimedServer.secure($1, in: $0) }
        ) { fronted in
            let root = try #require(Address("https://127.0.0.1:\(fronted.http.port)"))
            let numbers = TimingRun.Numbers()
            for reader in TimedReader.known {
                var series = TimingSeries()
                var all = AnswerOrder()
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
        _ system: BenchCase, _ memory: TimedMemory, _ protocolName: String, _ reader: TimedReader,
        _ series: TimingSeries?, _ remark: String, _ isSound: Bool
    ) {
        let columns = [(system.bench.name, 20), (memory.rawValue, 5), (protocolName, 7), (reader.rawValue, 8)]
        let row =
            columns.map { $0.0.padding(toLength: $0.1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
            + "  \(isSound ? "sound" : "LEAKS")  p \(series?.description ?? "")  \(remark)"
        print(row)
        // Seen at once, into a pipe as well: the next row may take a minute.
        fflush(nil)
        if !isSound { Issue.record("\(row)") }
    }
}
