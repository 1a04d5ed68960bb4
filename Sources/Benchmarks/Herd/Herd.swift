import Backends
import Foundation
import Gatefold
import Protections
import Synchronization

/// Many readers at once, before a subscriber system that bears little.
struct Herd: Sendable {
    let readers: Int
    let requests: Int
    /// Over so long the requests arrive, evenly.
    let duration: Duration
    let latency: Duration
    let breaksAbove: Int
    var settings = ProtectionSettings()

    /// Requests arrive in swarms, one every so often.
    private static let tick = Duration.milliseconds(5)

    func run() async throws -> HerdReport {
        let fragile = FragileBackend(latency: .zero, breaksAbove: breaksAbove)
        let protected = ProtectedBackend(
            fragile, decidesEditions: false, settings: settings, services: try House.services())
        let codec = try House.codec
        let tokens = try (0..<readers).map { try codec.seal(try House.session(of: $0)) }
        return try await House.withFolder { folder in
            let proxy = try House.proxy(protected, tokens: codec, folder)
            return try await run(proxy, tokens, fragile, protected)
        }
    }

    private func run(
        _ proxy: PublicationProxy, _ tokens: [String], _ fragile: FragileBackend, _ protected: ProtectedBackend
    ) async throws -> HerdReport {
        try await warmUp(proxy, tokens, protected)
        let before = protected.status
        fragile.begin(latency: latency)
        let log = HerdLog()
        let start = ContinuousClock.now
        try await release(proxy, tokens, log, start)
        let seconds = (ContinuousClock.now - start) / .seconds(1)

        var report = log.report(asked: fragile.asked)
        report.seconds = seconds
        report.mostAtOnce = fragile.most
        report.broke = fragile.broke
        let after = protected.status
        report.entries = after.entries
        report.bytes = after.bytes
        report.counts = after.counts.merging(before.counts) { $0 - $1 }
        return report
    }

    /// Every second reader was there lately.
    static func isWarm(_ reader: Int) -> Bool { reader.isMultiple(of: 2) }

    private func warmUp(_ proxy: PublicationProxy, _ tokens: [String], _ protected: ProtectedBackend) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for reader in stride(from: worker, to: readers, by: 8) where Self.isWarm(reader) {
                        _ = try await proxy.verify(token: tokens[reader], Inquiry())
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Sends the requests in time, whether or not those before have been answered.
    private func release(
        _ proxy: PublicationProxy, _ tokens: [String], _ log: HerdLog, _ start: ContinuousClock.Instant
    ) async throws {
        let ticks = max(1, Int(duration / Self.tick))
        // Every reader comes, in no order.
        let order = (0..<requests).map { $0 % readers }.shuffled()
        try await withThrowingDiscardingTaskGroup { group in
            for tick in 0..<ticks {
                try await Task.sleep(until: start + Self.tick * tick, clock: .continuous)
                for number in (requests * tick / ticks)..<(requests * (tick + 1) / ticks) {
                    let reader = order[number]
                    group.addTask {
                        let start = ContinuousClock.now
                        let isAnswered = try await HerdLog.$number.withValue(number) {
                            do {
                                return try await proxy.verify(token: tokens[reader], Inquiry()).subscription.state
                                    == .active
                            } catch is Unavailable {
                                return false
                            }
                        }
                        log.note(reader, isAnswered: isAnswered, ContinuousClock.now - start)
                    }
                }
            }
        }
    }
}
