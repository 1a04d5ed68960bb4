import Backends
import Foundation
import Gatefold
import Resilience
import Synchronization

/// Many readers at the same time, in front of a subscriber system with little capacity.
struct Herd: Sendable {
    let readers: Int
    let requests: Int
    /// The period over which the requests arrive evenly.
    let duration: Duration
    let latency: Duration
    let failureThreshold: Int
    var settings = ProtectionSettings()

    /// The interval between two batches of requests.
    private static let tick = Duration.milliseconds(5)

    func run() async throws -> HerdReport {
        let fragile = FragileBackend(latency: .zero, failureThreshold: failureThreshold)
        let protected = ProtectedBackend(
            fragile, decidesEditions: false, settings: settings, services: try BenchmarkPublication.services())
        let codec = try BenchmarkPublication.codec
        let tokens = try (0..<readers).map { try codec.seal(try BenchmarkPublication.session(of: $0)) }
        return try await BenchmarkPublication.withFolder { folder in
            let authorizationService = try BenchmarkPublication.authorizationService(protected, tokens: codec, folder)
            return try await run(authorizationService, tokens, fragile, protected)
        }
    }

    private func run(
        _ authorizationService: AuthorizationService, _ tokens: [String], _ fragile: FragileBackend,
        _ protected: ProtectedBackend
    ) async throws -> HerdReport {
        try await warmUp(authorizationService, tokens, protected)
        let before = protected.status
        fragile.begin(latency: latency)
        let log = HerdLog()
        let start = ContinuousClock.now
        try await release(authorizationService, tokens, log, start)
        let seconds = (ContinuousClock.now - start) / .seconds(1)

        var report = log.report(queried: fragile.queried)
        report.seconds = seconds
        report.peakConcurrency = fragile.peak
        report.failureCount = fragile.failureCount
        let after = protected.status
        report.entries = after.entries
        report.bytes = after.bytes
        report.counts = after.counts.merging(before.counts) { $0 - $1 }
        return report
    }

    /// Returns whether the reader's subscription is cached before the herd arrives. Every second reader's is.
    static func isWarm(_ reader: Int) -> Bool { reader.isMultiple(of: 2) }

    private func warmUp(_ authorizationService: AuthorizationService, _ tokens: [String], _ protected: ProtectedBackend)
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for reader in stride(from: worker, to: readers, by: 8) where Self.isWarm(reader) {
                        _ = try await authorizationService.verify(token: tokens[reader], CallContext())
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Sends the requests on schedule, without waiting for the responses to earlier ones.
    private func release(
        _ authorizationService: AuthorizationService, _ tokens: [String], _ log: HerdLog,
        _ start: ContinuousClock.Instant
    ) async throws {
        let ticks = max(1, Int(duration / Self.tick))
        // Every reader arrives, in random order.
        let order = (0..<requests).map { $0 % readers }.shuffled()
        try await withThrowingDiscardingTaskGroup { group in
            for tick in 0..<ticks {
                try await Task.sleep(until: start + Self.tick * tick, clock: .continuous)
                for number in (requests * tick / ticks)..<(requests * (tick + 1) / ticks) {
                    let reader = order[number]
                    group.addTask {
                        let start = ContinuousClock.now
                        let isServed = try await HerdLog.$number.withValue(number) {
                            do {
                                return try await authorizationService.verify(token: tokens[reader], CallContext())
                                    .subscription.state
                                    == .active
                            } catch is Unavailable {
                                return false
                            }
                        }
                        log.record(reader, isServed: isServed, ContinuousClock.now - start)
                    }
                }
            }
        }
    }
}
