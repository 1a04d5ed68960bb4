import BackendFixtures
import Foundation
import Gatefold
import TestSupport

/// Drives the soak: alternates faults with normal operation and changes data meanwhile.
///
/// The first round has each kind of fault and covers everything that ``SoakFloors`` requires. It always runs to its
/// end, however short the soak is. Everything after it is random.
struct SoakDriver: Sendable {
    /// An action of an operator.
    private enum OperatorAction: CaseIterable {
        case configuration, flush, revocation
    }

    private let context: Soak.SoakContext
    private let log: @Sendable (String) -> Void

    init(_ context: Soak.SoakContext, _ log: @escaping @Sendable (String) -> Void) {
        self.context = context
        self.log = log
    }

    /// - Returns: The description of a failure of the environment, or the first incorrect response to a fixed reader.
    func runScenario(until deadline: ContinuousClock.Instant) async -> String? {
        defer { context.stopFlag.requestStop() }
        var random = SeededRandom(seed: context.plan.seed)
        do {
            try await firstRound(&random)
            try await days(&random, until: deadline)
            return nil
        } catch is CancellationError {
            return nil
        } catch let contradiction as SoakApp.Contradiction {
            return contradiction.message
        } catch {
            if Task.isCancelled { return nil }
            try? await context.system.fixture.recover()
            return "test environment: \(error)"
        }
    }

    /// Runs each kind of fault, in two series without a pause, because a soak of a minute has no time for more.
    private func firstRound(_ random: inout SeededRandom) async throws {
        let coverageDriver = CoverageDriver(context)
        log("Making every call in every variant")
        try await coverageDriver.exerciseEveryCall()
        try await context.pauseCancellably(.seconds(1))
        let days = context.fixedReaders.faultReaders.shuffled(using: &random)
        for series in [days.prefix(3), days.dropFirst(3)] {
            for faultReaders in series {
                try await rehearse(&random)
                let participants = try await coverageDriver.prepare(faultReaders)
                try await injectFault(faultReaders.outage, seconds: 4) {
                    try await coverageDriver.runDuringFault(participants)
                }
            }
            try await context.pauseCancellably(.seconds(SoakPlan.Times.recovery + 1.5))
            for operatorAction in OperatorAction.allCases.shuffled(using: &random) {
                try await perform(operatorAction, &random)
            }
        }
        log("Verifying expiry and revocation")
        try await coverageDriver.verifyTerminations()
    }

    private func days(_ random: inout SeededRandom, until deadline: ContinuousClock.Instant) async throws {
        var outages: [Outage] = []
        while ContinuousClock.now < deadline {
            if outages.isEmpty { outages = Outage.allCases.shuffled(using: &random) }
            try await rehearse(&random)
            let length = Double.random(in: 3...(Int.random(in: 0..<4, using: &random) == 0 ? 25 : 7), using: &random)
            try await injectFault(outages.removeLast(), seconds: length)
            try await context.pauseCancellably(
                .seconds(SoakPlan.Times.recovery + Double.random(in: 1...4, using: &random)))
            if let operatorAction = OperatorAction.allCases.randomElement(using: &random) {
                try await perform(operatorAction, &random)
            }
        }
    }

    /// - Parameters:
    ///   - seconds: The minimum duration.
    ///   - meanwhile: Additional work during the fault.
    private func injectFault(
        _ outage: Outage, seconds: Double, _ meanwhile: () async throws -> Void = {}
    ) async throws {
        log(
            String(
                format: "Fault \"%@\" for %.0f s, %d responses so far", outage.rawValue, seconds, context.tally.count))
        context.faultWindows.begin(outage.rawValue)
        try await context.system.fixture.fail(outage)
        let windowEnd = ContinuousClock.now + .seconds(seconds)
        try await meanwhile()
        try await Task.sleep(until: windowEnd, clock: .continuous)
        try await context.system.fixture.recover()
        context.faultWindows.end()
    }

    private func perform(_ operatorAction: OperatorAction, _ random: inout SeededRandom) async throws {
        switch operatorAction {
        case .configuration:
            for reader in context.everybody { reader.forget() }
            try context.configure(Int.random(in: 1...999_999, using: &random))
            context.server.send(SIGHUP)
            context.tally.record("operator", "configuration reloaded", during: nil)
        case .flush:
            let run = try await GatefoldProgram.run(
                ["backends", "flush", "house", "--all"], environment: context.secrets, in: context.folder)
            for reader in context.everybody { reader.forget() }
            guard run.status == 0 else { throw Soak.Failed(description: "flush: \(run.errors)") }
            context.tally.record("operator", "cache flushed", during: nil)
        case .revocation:
            try await context.readers[Int.random(in: 0..<context.readers.count, using: &random)].revokeOne(context)
        }
    }

    /// Changes subscriptions while the system is available.
    private func rehearse(_ random: inout SeededRandom) async throws {
        let states: [SubscriptionState] = [.active, .active, .inactive, .suspended]
        for _ in 0..<(context.readers.count / 3 + 1) {
            let reader = context.readers[Int.random(in: 0..<context.readers.count, using: &random)]
            let state = states[Int.random(in: 0..<states.count, using: &random)]
            var next = reader.subscription.last
            next.state = state
            try await reader.subscription.change(to: next) { try await context.system.set(state, of: reader.number) }
            context.tally.record("operator", "subscription changed", during: nil)
        }
    }
}

extension Soak.SoakContext {
    /// Pauses, and throws on cancellation.
    func pauseCancellably(_ time: Duration) async throws { try await Task.sleep(for: time) }

    /// Pauses until shortly after a time.
    func pauseCancellably(until timestamp: Date) async throws {
        try await pauseCancellably(.seconds(max(0, timestamp.timeIntervalSinceNow) + 0.2))
    }
}
