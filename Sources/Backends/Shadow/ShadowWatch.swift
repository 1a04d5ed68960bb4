import Foundation
import Gatefold
import Synchronization

/// Asks the watched backend on the side, compares, and counts.
final class ShadowWatch: Sendable {
    /// Readers whose counterpart in the watched system is remembered; the oldest are forgotten.
    private static let mostReaders = 100_000

    private struct State {
        var present = 0
        var counterparts = BoundedMemory<SubscriberReference, Subscriber>(capacity: ShadowWatch.mostReaders)
        var lines: LogAllowance
    }

    private let shadow: String
    private let backend: any SubscriberBackend
    private let share: Int
    private let most: Int
    private let references: ReferenceKey
    private let clock: WallClock
    private let observe: @Sendable (BackendEvent) -> Void
    private let state: Mutex<State>
    /// Noted when somebody's counterpart was found: from then on they are compared.
    private let changes = ChangeCount()

    /// - Parameters:
    ///   - shadow: the name of the backend it belongs to.
    ///   - share: of the readers, in percent; the same ones every time.
    ///   - most: questions at once; one too many is not asked.
    init(
        shadow: String, watching backend: any SubscriberBackend, share: Int, most: Int, services: BackendServices
    ) {
        self.shadow = shadow
        self.backend = backend
        self.share = share
        self.most = most
        references = services.references
        clock = services.clock
        observe = services.observe
        state = Mutex(State(lines: LogAllowance(perMinute: 10)))
    }

    /// Asks whose credentials these are; whoever serves resolves what comes back with its own answer.
    ///
    /// Returns nil when there is nothing to compare.
    func recognise(_ credentials: Credentials, _ inquiry: Inquiry) -> Pending<Recognition>? {
        guard isChosen(credentials.identifier), backend.reads(credentials.form) else { return nil }
        return beside { [self] in
            try await backend.recognise(credentials, inquiry: inquiry)
        } compare: { [self] served, watched in
            var who: SubscriberReference?
            if case .recognised(let theirs) = watched { who = references.reference(to: theirs) }
            if case .recognised(let ours) = served {
                let reference = references.reference(to: ours)
                who = reference
                if case .recognised(let theirs) = watched {
                    state.withLock { $0.counterparts.keep(theirs, for: reference) }
                    changes.note()
                }
            }
            report(ShadowComparison.of(served, watched), about: who)
        }
    }

    func subscription(of subscriber: Subscriber, _ inquiry: Inquiry) -> Pending<Subscription>? {
        guard let (who, theirs) = counterpart(of: subscriber) else { return nil }
        return beside { [self] in
            try await backend.subscription(of: theirs, inquiry: inquiry)
        } compare: { [self] served, watched in
            report(ShadowComparison.of(served, watched), about: who)
        }
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, _ inquiry: Inquiry
    ) -> Pending<EditionVerdict?>? {
        guard let (who, theirs) = counterpart(of: subscriber) else { return nil }
        return beside { [self] in
            try await backend.verdict(on: edition, for: theirs, inquiry: inquiry)
        } compare: { [self] served, watched in
            report(ShadowComparison.of(served, watched), about: who)
        }
    }

    /// Who is compared; to be taken before ``compares(_:)`` is asked.
    var standing: Standing { Standing([changes.mark]) }

    /// Whether questions about the reader are put to both systems.
    func compares(_ subscriber: Subscriber) -> Bool { counterpart(of: subscriber) != nil }

    /// Ends the session that was opened there by comparing.
    func signOut(_ subscriber: Subscriber, _ inquiry: Inquiry) {
        guard let (_, theirs) = counterpart(of: subscriber), enter() else { return }
        Task { [self] in
            try? await backend.signOut(theirs, inquiry: inquiry)
            leave()
        }
    }

    private func beside<Answer: Sendable>(
        _ question: @escaping @Sendable () async throws -> Answer,
        compare: @escaping @Sendable (Answer, Answer) -> Void
    ) -> Pending<Answer>? {
        guard enter() else {
            count("shadow_dropped")
            return nil
        }
        let served = Pending<Answer>()
        Task { [self] in
            defer { leave() }
            do {
                let watched = try await question()
                // Without an answer of the one that serves there is nothing to compare.
                if let served = await served.value() { compare(served, watched) }
            } catch {
                count("shadow_unavailable")
            }
        }
        return served
    }

    private func counterpart(of subscriber: Subscriber) -> (SubscriberReference, Subscriber)? {
        let who = references.reference(to: subscriber)
        return state.withLock { $0.counterparts[who] }.map { (who, $0) }
    }

    /// By a keyed digest, so that a reader is always among the chosen or never.
    func isChosen(_ identifier: String) -> Bool {
        if share >= 100 { return true }
        let digest = references.digest("shadow", [shadow, identifier])
        return (Int(digest[0]) << 16 | Int(digest[1]) << 8 | Int(digest[2])) % 100 < share
    }

    private func enter() -> Bool {
        state.withLock { state in
            guard state.present < most else { return false }
            state.present += 1
            return true
        }
    }

    private func leave() {
        state.withLock { $0.present -= 1 }
    }

    private func report(_ findings: [ShadowComparison.Finding], about who: SubscriberReference?) {
        for finding in findings {
            guard let words = finding.words, state.withLock({ $0.lines.take(at: clock.elapsed) }) else {
                count(finding.event)
                continue
            }
            count(finding.event, detail: "subscriber \(who.map { "\($0)" } ?? "-"): \(words)")
        }
    }

    private func count(_ event: String, detail: String? = nil) {
        observe(BackendEvent(backend: shadow, name: event, detail: detail))
    }
}
