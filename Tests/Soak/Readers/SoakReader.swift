import AccessModel
import Foundation
import Gatefold
import Synchronization
import TestSupport

/// One reader of the publisher's: what the system says of them, what they have proven to know, and what they lived through.
final class SoakReader: Sendable {
    /// A session, with the time in which it was ended.
    final class Sitting: Sendable {
        private struct End {
            var begins: Date?
            var isCertainAt: Date?
            var isByOperator = false
        }

        private let end = Mutex(End())

        func beginEnd(byOperator: Bool = false) {
            end.withLock { end in
                guard end.begins == nil else { return }
                end.begins = Date()
                end.isByOperator = byOperator
            }
        }

        func certify(at moment: Date) { end.withLock { $0.isCertainAt = min($0.isCertainAt ?? moment, moment) } }

        func mayBeEnded(by moment: Date) -> Bool { end.withLock { $0.begins.map { $0 <= moment } ?? false } }
        func isEnded(at moment: Date) -> Bool { end.withLock { $0.isCertainAt.map { $0 <= moment } ?? false } }

        /// How it ended, for the tally.
        var ending: String { end.withLock { $0.isByOperator ? "session revoked" : "session ended" } }
    }

    struct Token: Sendable {
        let text: String
        let title: Int
        let sitting: Sitting
        /// When the call began and ended that brought it.
        let asked: Date
        let came: Date

        var expiresEarliest: Date {
            Date(timeIntervalSince1970: asked.timeIntervalSince1970.rounded(.down) + SoakPlan.titles[title].tokens.life)
        }
        var expiresLatest: Date { came.addingTimeInterval(SoakPlan.titles[title].tokens.life) }
        /// Until when it can be renewed after its end.
        var endsEarliest: Date { expiresEarliest.addingTimeInterval(SoakPlan.titles[title].tokens.renewal) }
        var endsLatest: Date { expiresLatest.addingTimeInterval(SoakPlan.titles[title].tokens.renewal) }
    }

    private struct State {
        var tokens: [Token] = []
        /// The number of a subscription that refused, in the reader's timeline: nothing older may be heard from then on.
        var refused: (number: Int, at: Date)?
        var history: [String] = []
        /// When the call began that was last told "active" on a good day.
        var active: Date?
        /// When the program last had a reason to forget what the system said of them.
        var forgotten = Date.distantPast
    }

    let number: Int
    let subscription: Timeline<Subscription>
    private let state = Mutex(State())

    init(_ number: Int) {
        self.number = number
        subscription = Timeline(PublisherSystem.subscription(number))
    }

    var email: String { PublisherSystem.email(number) }

    func keep(_ token: Token) {
        state.withLock { state in
            state.tokens.append(token)
            if state.tokens.count > 20 { state.tokens.removeFirst() }
        }
    }

    func note(_ line: String) {
        state.withLock { state in
            state.history.append(line)
            if state.history.count > 80 { state.history.removeFirst() }
        }
    }

    var history: String {
        let changes = subscription.possible(from: .distantPast, to: .distantFuture).map {
            "  subscription \($0.number): \($0.value.state), \($0.value.entitlement)"
        }
        return (changes + state.withLock { $0.history }).joined(separator: "\n")
    }

    // MARK: - What may be said of them

    /// A question that is under way when a refusal is heard may still be answered by what was before it.
    private static let underWay: TimeInterval = 4

    private func floor(at moment: Date) -> Int? {
        state.withLock { state in
            state.refused.flatMap { moment.timeIntervalSince($0.at) > Self.underWay ? $0.number : nil }
        }
    }

    /// The subscriptions that an answer between these moments may go by, with their numbers.
    ///
    /// - Parameter isBadDay: then the last good word may stand in.
    func words(from start: Date, to end: Date, isBadDay: Bool) -> [(number: Int, value: Subscription)] {
        let floor = floor(at: start) ?? 0
        // What counts as said when it came may have been read when it was asked for, so long before at the most.
        let slack = SoakPlan.Times.deadline
        let fresh = subscription.possible(
            from: start.addingTimeInterval(-SoakPlan.Times.freshness - slack), to: end)
        let old = subscription.possible(
            from: start.addingTimeInterval(-SoakPlan.Times.lastKnownGood - slack), to: end)
        let all =
            isBadDay
            ? old.filter { word in Self.mayStandIn(word.value) || fresh.contains { $0.number == word.number } } : fresh
        return all.filter { $0.number >= floor }
    }

    private static func mayStandIn(_ word: Subscription) -> Bool {
        word.state == .active
            || word.state == .inactive && word.entitlement != .nothing && word.entitlement != .allEditions
    }

    /// Whether they were refused, and nobody can have said anything better since.
    func isRefused(from start: Date, to end: Date) -> Bool {
        guard let floor = floor(at: start) else { return false }
        return !subscription.all(from: floor, until: end).contains { $0.state == .active }
    }

    func hearRefusal(_ number: Int) {
        state.withLock { state in
            state.forgotten = Date()
            if state.refused.map({ $0.number < number }) ?? true { state.refused = (number, Date()) }
        }
    }

    // MARK: - What has to be said of them

    func hearActive(asked: Date) { state.withLock { $0.active = max($0.active ?? asked, asked) } }

    func forget() { state.withLock { $0.forgotten = Date() } }

    /// Whether a verification must be answered, whatever the day: the system said "active" a short while ago, has said
    /// nothing else since, and that word is still good.
    func mustBeTold(from start: Date, to end: Date) -> Bool {
        let (active, forgotten) = state.withLock { ($0.active, $0.forgotten) }
        let times = SoakPlan.Times.self
        // So much older may the word have been that was told then.
        let age = times.freshness + times.deadline
        guard let active, active > forgotten, active <= start,
            end.timeIntervalSince(active) + age + 1 < times.lastKnownGood
        else { return false }
        return subscription.possible(from: active.addingTimeInterval(-age), to: end)
            .allSatisfy { $0.value.state == .active }
    }

    // MARK: - What an operator does

    /// Ends one of the sessions by the command line, in another process.
    func revokeOne(_ scene: Soak.Scene) async throws {
        guard let token = state.withLock({ $0.tokens.randomElement() }) else { return }
        try await revoke(token, scene)
    }

    func revoke(_ token: Token, _ scene: Soak.Scene) async throws {
        token.sitting.beginEnd(byOperator: true)
        let run = try await GatefoldProgram.run(
            ["token", "revoke", "--publication", SoakPlan.titles[token.title].id, "--token", "-"],
            input: token.text + "\n", environment: scene.secrets, in: scene.folder)
        guard run.status == 0 else { throw Soak.Failed(description: "token revoke: \(run.errors)") }
        token.sitting.certify(at: Date().addingTimeInterval(SoakPlan.Times.following))
        note("  operator: a session of \(SoakPlan.titles[token.title].id) is revoked")
        scene.tally.note("operator", "session revoked", during: nil)
    }
}
