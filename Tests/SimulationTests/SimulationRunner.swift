import Foundation
import Synchronization

/// Runs many seeds on a few threads, and shortens a failing plan.
enum SimulationRunner {
    struct Found: Sendable {
        var runs = 0
        var tally: [String: Int] = [:]
        /// The failing plan with the lowest seed, and the invariant that it violates.
        var failing: (plan: Plan, violation: String)?
    }

    private final class SeedQueue: Sendable {
        private let seeds: Mutex<Range<UInt64>>

        init(_ seeds: Range<UInt64>) { self.seeds = Mutex(seeds) }

        func next() -> UInt64? { seeds.withLock { $0.popFirst() } }

        func clear() { seeds.withLock { $0 = $0.upperBound..<$0.upperBound } }
    }

    private static let threads = 2
    private static let stackSize = 16 << 20
    /// The number of schedules with which a shorter plan is tried.
    private static let schedules = 4

    /// Runs seeds until one fails.
    static func run(
        _ seeds: Range<UInt64>, fault: PlantedFault? = nil
    ) async throws -> Found {
        let queue = SeedQueue(seeds)
        return try await withThrowingTaskGroup(of: Found.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    try await onThread {
                        let image = try DatabaseImage()
                        var found = Found()
                        while let seed = queue.next() {
                            let plan = Plan(seed: seed)
                            let outcome = World.run(plan, fault: fault, image: image)
                            found.runs += 1
                            found.tally.merge(outcome.tally) { $0 + $1 }
                            if let violation = outcome.violation {
                                found.failing = (plan, violation)
                                queue.clear()
                            }
                        }
                        return found
                    }
                }
            }
            return try await group.reduce(into: Found()) { all, found in
                all.runs += found.runs
                all.tally.merge(found.tally) { $0 + $1 }
                guard let failing = found.failing else { return }
                if failing.plan.seed < all.failing?.plan.seed ?? .max { all.failing = failing }
            }
        }
    }

    /// Returns the violation of a plan without a planted fault.
    static func violation(of plan: Plan) async throws -> String? {
        try await onThread { World.run(plan, image: try DatabaseImage()).violation }
    }

    /// Returns a failing plan without the events and clock errors that its failure does not need, with what happens in it.
    static func shortened(_ failing: Plan, fault: PlantedFault? = nil) async throws -> String {
        try await onThread {
            let image = try DatabaseImage()
            var best = failing
            // An event that is left out changes all that follows it. So a shorter plan is tried with several schedules.
            func takes(_ plan: Plan, schedules: Int = SimulationRunner.schedules) -> Bool {
                for number in 0..<schedules {
                    var candidate = plan
                    candidate.schedule = plan.schedule &+ UInt64(number) &* 1_000_003
                    if World.run(candidate, fault: fault, image: image).violation != nil {
                        best = candidate
                        return true
                    }
                }
                return false
            }
            guard takes(best, schedules: 1) else {
                return """
                    \(failing)
                    The failure of seed \(failing.seed) did not occur again. Set SWIFT_DETERMINISTIC_HASHING=1, because \
                    the order of a set or dictionary matters.
                    """
            }
            var size = max(1, best.events.count / 2)
            while true {
                var start = 0
                while start < best.events.count {
                    var shorter = best
                    shorter.events.removeSubrange(start..<min(start + size, best.events.count))
                    if !takes(shorter) { start += size }
                }
                if size == 1 { break }
                size /= 2
            }
            for node in best.skews.indices {
                var plainer = best
                plainer.skews[node] = 0
                _ = takes(plainer)
            }
            let outcome = World.run(best, fault: fault, image: image, logs: true)
            return """
                \(outcome.violation ?? "no violation")
                \(best)
                What happened:
                \(outcome.log.joined(separator: "\n"))
                Repeat it with SWIFT_DETERMINISTIC_HASHING=1 GATEFOLD_SIMULATIONS=1 GATEFOLD_SIMULATION=\(failing.seed)
                """
        }
    }

    /// Performs work on a thread of its own, because a simulation occupies its thread.
    static func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try work() }) }
            thread.stackSize = stackSize
            thread.start()
        }
    }
}
