import AccessModel
import Foundation
import Gatefold
import Synchronization
import TestSupport

/// A reader of the publisher: the subscriptions in the system, the confirmed credentials, and the history.
final class SoakReader: Sendable {
    /// A session with the time of its end.
    final class TrackedSession: Sendable {
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

        func recordCertain(at timestamp: Date) {
            end.withLock { $0.isCertainAt = min($0.isCertainAt ?? timestamp, timestamp) }
        }

        func mayBeEnded(by timestamp: Date) -> Bool { end.withLock { $0.begins.map { $0 <= timestamp } ?? false } }
        func hasEnded(at timestamp: Date) -> Bool { end.withLock { $0.isCertainAt.map { $0 <= timestamp } ?? false } }

        /// The label of its end in the tally.
        var ending: String { end.withLock { $0.isByOperator ? "session revoked" : "session ended" } }
    }

    struct Token: Sendable {
        let text: String
        let title: Int
        let trackedSession: TrackedSession
        /// The start and the end of the call that opened the session.
        let requested: Date
        let receivedAt: Date

        var expiresEarliest: Date {
            Date(
                timeIntervalSince1970: requested.timeIntervalSince1970.rounded(.down)
                    + SoakPlan.titles[title].tokens.life)
        }
        var expiresLatest: Date { receivedAt.addingTimeInterval(SoakPlan.titles[title].tokens.life) }
        /// The end of the renewal window after the expiry.
        var endsEarliest: Date { expiresEarliest.addingTimeInterval(SoakPlan.titles[title].tokens.renewal) }
        var endsLatest: Date { expiresLatest.addingTimeInterval(SoakPlan.titles[title].tokens.renewal) }
    }

    private struct State {
        var tokens: [Token] = []
        /// The number of a denying subscription in the reader's timeline. No older one may be served from then on.
        var rejected: (number: Int, at: Date)?
        var history: [String] = []
        /// The start of the latest call without a fault that returned "active".
        var active: Date?
        /// The last time at which the program had a reason to discard the reader's cached results.
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

    func store(_ token: Token) {
        state.withLock { state in
            state.tokens.append(token)
            if state.tokens.count > 20 { state.tokens.removeFirst() }
        }
    }

    func record(_ line: String) {
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

    // MARK: - Possible results

    /// A query in progress when a denial is received may still return the earlier state.
    private static let maxInFlightTime: TimeInterval = 4

    private func floor(at timestamp: Date) -> Int? {
        state.withLock { state in
            state.rejected.flatMap { timestamp.timeIntervalSince($0.at) > Self.maxInFlightTime ? $0.number : nil }
        }
    }

    /// Returns the subscriptions on which a response in this window may be based, with their numbers.
    ///
    /// - Parameter isFaultWindow: Whether the last known good result may be served.
    func possibleSubscriptions(from start: Date, to end: Date, isFaultWindow: Bool) -> [(
        number: Int, value: Subscription
    )] {
        let floor = floor(at: start) ?? 0
        // A result counts from its arrival but may have been read at the time of its query.
        let slack = SoakPlan.Times.deadline
        let fresh = subscription.possible(
            from: start.addingTimeInterval(-SoakPlan.Times.freshness - slack), to: end)
        let old = subscription.possible(
            from: start.addingTimeInterval(-SoakPlan.Times.lastKnownGood - slack), to: end)
        let all =
            isFaultWindow
            ? old.filter { candidate in
                Self.mayServeCached(candidate.value) || fresh.contains { $0.number == candidate.number }
            }
            : fresh
        return all.filter { $0.number >= floor }
    }

    private static func mayServeCached(_ candidate: Subscription) -> Bool {
        candidate.state == .active
            || candidate.state == .inactive && candidate.entitlement != .nothing
                && candidate.entitlement != .allEditions
    }

    /// Returns whether the reader was denied, and no better result is possible since.
    func isRejected(from start: Date, to end: Date) -> Bool {
        guard let floor = floor(at: start) else { return false }
        return !subscription.all(from: floor, until: end).contains { $0.state == .active }
    }

    func receiveDenial(_ number: Int) {
        state.withLock { state in
            state.forgotten = Date()
            if state.rejected.map({ $0.number < number }) ?? true { state.rejected = (number, Date()) }
        }
    }

    // MARK: - Required results

    func receiveActive(requested: Date) { state.withLock { $0.active = max($0.active ?? requested, requested) } }

    func forget() { state.withLock { $0.forgotten = Date() } }

    /// Returns whether a verification must succeed under any fault: the system recently returned "active", has returned
    /// nothing else since, and the cached result is still valid.
    func mustBeReported(from start: Date, to end: Date) -> Bool {
        let (active, forgotten) = state.withLock { ($0.active, $0.forgotten) }
        let times = SoakPlan.Times.self
        // The maximum age of the result that was returned then.
        let age = times.freshness + times.deadline
        guard let active, active > forgotten, active <= start,
            end.timeIntervalSince(active) + age + 1 < times.lastKnownGood
        else { return false }
        return subscription.possible(from: active.addingTimeInterval(-age), to: end)
            .allSatisfy { $0.value.state == .active }
    }

    // MARK: - Operator actions

    /// Revokes one of the sessions by the command line, in another process.
    func revokeOne(_ context: Soak.SoakContext) async throws {
        guard let token = state.withLock({ $0.tokens.randomElement() }) else { return }
        try await revoke(token, context)
    }

    func revoke(_ token: Token, _ context: Soak.SoakContext) async throws {
        token.trackedSession.beginEnd(byOperator: true)
        let run = try await GatefoldProgram.run(
            ["token", "revoke", "--publication", SoakPlan.titles[token.title].id, "--token", "-"],
            input: token.text + "\n", environment: context.secrets, in: context.folder)
        guard run.status == 0 else { throw Soak.Failed(description: "token revoke: \(run.errors)") }
        token.trackedSession.recordCertain(at: Date().addingTimeInterval(SoakPlan.Times.following))
        record("  operator: a session of \(SoakPlan.titles[token.title].id) is revoked")
        context.tally.record("operator", "session revoked", during: nil)
    }
}
