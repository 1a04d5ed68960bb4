import BackendBenches
import Foundation
import Gatefold
import TestSupport

/// Makes the days: bad ones and good ones by turns, and what changes meanwhile.
///
/// The first round has each kind of bad day, and sees to it that all happens that ``SoakFloors`` demand; it is played to its
/// end however short the soak is to be. After it everything is left to chance.
struct Conductor: Sendable {
    /// What an operator does.
    private enum Deed: CaseIterable {
        case configuration, flush, revocation
    }

    private let scene: Soak.Scene
    private let say: @Sendable (String) -> Void

    init(_ scene: Soak.Scene, _ say: @escaping @Sendable (String) -> Void) {
        self.scene = scene
        self.say = say
    }

    /// - Returns: what went wrong with the stage itself, or the first wrong answer to the guests.
    func conduct(until deadline: ContinuousClock.Instant) async -> String? {
        defer { scene.curtain.fall() }
        var random = SeededRandom(seed: scene.plan.seed)
        do {
            try await firstRound(&random)
            try await days(&random, until: deadline)
            return nil
        } catch is CancellationError {
            return nil
        } catch let contradiction as SoakApp.Contradiction {
            return contradiction.words
        } catch {
            if Task.isCancelled { return nil }
            try? await scene.system.bench.recover()
            return "the stage: \(error)"
        }
    }

    /// Each kind of bad day, in two series without a good moment between them: a soak of a minute has no time for more of these.
    private func firstRound(_ random: inout SeededRandom) async throws {
        let examiner = Examiner(scene)
        say("each call in each way")
        try await examiner.tryEverything()
        try await scene.calmly(.seconds(1))
        let days = scene.guests.witnesses.shuffled(using: &random)
        for series in [days.prefix(3), days.dropFirst(3)] {
            for witnesses in series {
                try await rehearse(&random)
                let cast = try await examiner.prepare(witnesses)
                try await badDay(witnesses.outage, seconds: 4) { try await examiner.endure(cast) }
            }
            try await scene.calmly(.seconds(SoakPlan.Times.recovery + 1.5))
            for deed in Deed.allCases.shuffled(using: &random) { try await perform(deed, &random) }
        }
        say("what ends, ends")
        try await examiner.seeTheEnds()
    }

    private func days(_ random: inout SeededRandom, until deadline: ContinuousClock.Instant) async throws {
        var outages: [Outage] = []
        while ContinuousClock.now < deadline {
            if outages.isEmpty { outages = Outage.allCases.shuffled(using: &random) }
            try await rehearse(&random)
            let length = Double.random(in: 3...(Int.random(in: 0..<4, using: &random) == 0 ? 25 : 7), using: &random)
            try await badDay(outages.removeLast(), seconds: length)
            try await scene.calmly(.seconds(SoakPlan.Times.recovery + Double.random(in: 1...4, using: &random)))
            if let deed = Deed.allCases.randomElement(using: &random) { try await perform(deed, &random) }
        }
    }

    /// - Parameters:
    ///   - seconds: it lasts no shorter.
    ///   - meanwhile: what is done on this day besides.
    private func badDay(
        _ outage: Outage, seconds: Double, _ meanwhile: () async throws -> Void = {}
    ) async throws {
        say(String(format: "%@ for %.0f s, %d answers so far", outage.rawValue, seconds, scene.tally.count))
        scene.badDays.begin(outage.rawValue)
        try await scene.system.bench.fail(outage)
        let evening = ContinuousClock.now + .seconds(seconds)
        try await meanwhile()
        try await Task.sleep(until: evening, clock: .continuous)
        try await scene.system.bench.recover()
        scene.badDays.end()
    }

    private func perform(_ deed: Deed, _ random: inout SeededRandom) async throws {
        switch deed {
        case .configuration:
            for reader in scene.everybody { reader.forget() }
            try scene.configure(Int.random(in: 1...999_999, using: &random))
            scene.server.send(SIGHUP)
            scene.tally.note("operator", "configuration read again", during: nil)
        case .flush:
            let answer = try await scene.admin.post(
                "/backends/house/flush", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("all=true".utf8))
            for reader in scene.everybody { reader.forget() }
            guard answer.status == 200 else {
                throw Soak.Failed(description: "flush: \(answer.status) \(answer.text)")
            }
            scene.tally.note("operator", "memory flushed", during: nil)
        case .revocation:
            try await scene.readers[Int.random(in: 0..<scene.readers.count, using: &random)].revokeOne(scene)
        }
    }

    /// Subscriptions change, while the system can keep it.
    private func rehearse(_ random: inout SeededRandom) async throws {
        let states: [SubscriptionState] = [.active, .active, .inactive, .suspended]
        for _ in 0..<(scene.readers.count / 3 + 1) {
            let reader = scene.readers[Int.random(in: 0..<scene.readers.count, using: &random)]
            let state = states[Int.random(in: 0..<states.count, using: &random)]
            var next = reader.subscription.last
            next.state = state
            try await reader.subscription.change(to: next) { try await scene.system.set(state, of: reader.number) }
            scene.tally.note("operator", "subscription changed", during: nil)
        }
    }
}

extension Soak.Scene {
    /// Waits, and hears of a cancellation.
    func calmly(_ time: Duration) async throws { try await Task.sleep(for: time) }

    /// The same until a moment is over by a little.
    func calmly(until moment: Date) async throws {
        try await calmly(.seconds(max(0, moment.timeIntervalSinceNow) + 0.2))
    }
}
