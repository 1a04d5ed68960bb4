import Gatefold
import Synchronization

@testable import Backends

/// A backend that answers by a test's own rule, and knows what it was asked and how many asked at once.
final class ProbeBackend: SubscriberBackend {
    typealias Rule = @Sendable (Question, Inquiry) async throws -> Answer

    private struct State {
        var rule: Rule
        var asked: [String] = []
        var inquiries: [Inquiry] = []
        var present = 0
        var most = 0
    }

    let name = "house"
    private let state: Mutex<State>

    /// Recognises everybody whose password is `right`, with an active subscription; grants every edition.
    init(_ rule: @escaping Rule = ProbeBackend.friendly) {
        state = Mutex(State(rule: rule))
    }

    static let friendly: Rule = { question, _ in
        switch question {
        case .recognise(let credentials):
            .recognition(
                credentials["password"] == "right"
                    ? .recognised(Subscriber(backend: "house", key: credentials.identifier))
                    : .notRecognised(message: nil))
        case .renew(let subscriber): .recognition(.recognised(subscriber))
        case .subscription: .subscription(Subscription(state: .active, entitlement: .allEditions))
        case .verdict: .verdict(.granted)
        case .signOut, .health: .nothing
        }
    }

    struct Down: Error {}
    static let down: Rule = { _, _ in throw Down() }

    func follow(_ rule: @escaping Rule) { state.withLock { $0.rule = rule } }

    /// The kinds of all questions so far.
    var asked: [String] { state.withLock { $0.asked } }
    var inquiries: [Inquiry] { state.withLock { $0.inquiries } }
    var present: Int { state.withLock { $0.present } }
    /// The most that asked at once.
    var most: Int { state.withLock { $0.most } }

    private func answer(_ question: Question, _ inquiry: Inquiry) async throws -> Answer {
        let rule = state.withLock { state in
            state.asked.append(question.kind)
            state.inquiries.append(inquiry)
            state.present += 1
            state.most = max(state.most, state.present)
            return state.rule
        }
        defer { state.withLock { $0.present -= 1 } }
        return try await rule(question, inquiry)
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        guard case .recognition(let told) = try await answer(.recognise(credentials), inquiry) else { throw Down() }
        return told
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard case .subscription(let told) = try await answer(.subscription(subscriber), inquiry) else { throw Down() }
        return told
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        guard case .recognition(let told) = try await answer(.renew(subscriber), inquiry) else { throw Down() }
        return told
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard case .verdict(let told) = try await answer(.verdict(edition, subscriber), inquiry) else { throw Down() }
        return told
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        _ = try await answer(.signOut(subscriber), inquiry)
    }

    func health() async throws {
        _ = try await answer(.health, Inquiry())
    }
}
