import AccessModel
import Foundation
import Gatefold
import Protections
import Synchronization
import TestSupport

/// A publisher's subscriber system: knows its readers, has good and bad days, and writes down what it was asked and said.
final class House: SubscriberBackend {
    struct Reader: Sendable {
        var password = "right"
        var subscription = Subscription(state: .active)
        var verdicts: [EditionID: EditionVerdict] = [:]
        var isKnown = true
    }

    /// How it is today; on all but a good day it says nothing.
    enum Day: CaseIterable, Sendable {
        case good
        /// It fails at once.
        case down
        /// It never answers.
        case silent
        /// What it says about one reader is not understood.
        case garbled
    }

    /// - Parameter answer: nil when nothing was said.
    struct Asked: Sendable {
        let question: HouseQuestion
        let answer: HouseAnswer?
        let day: Day
    }

    private struct State {
        var readers: [String: Reader] = [:]
        var day = Day.good
        var sessions = 0
        var asked: [Asked] = []
        /// Questions that are never answered, of which no deadline has passed yet.
        var unanswered = 0
    }

    private struct Down: Error {}
    private struct Garbled: AnswerFailure {
        let cause = "not understood"
        let isOfOneAnswer = true
    }

    let name = "house"
    private let opensSessions: Bool
    /// Whether names that look alike are one to it.
    private let foldsNames: Bool
    private let state: Mutex<State>
    private let never = ManualTime()

    init(_ readers: [String: Reader], opensSessions: Bool, foldsNames: Bool) {
        self.opensSessions = opensSessions
        self.foldsNames = foldsNames
        state = Mutex(State(readers: readers))
    }

    func change(_ reader: String, _ change: (inout Reader) -> Void) {
        state.withLock { change(&$0.readers[reader, default: Reader()]) }
    }

    func reader(_ key: String) -> Reader? { state.withLock { $0.readers[key] } }

    var day: Day {
        get { state.withLock { $0.day } }
        set { state.withLock { $0.day = newValue } }
    }

    /// What was asked since this was asked last.
    func takeAsked() -> [Asked] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    /// Deadlines are over for whoever waits for a silent house as soon as it was asked, and never for others.
    var sleep: Sleep {
        { [self] seconds in
            guard day == .silent else { return try await never.sleep(seconds) }
            while !passes() {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func passes() -> Bool {
        state.withLock { state in
            if state.unanswered == 0 { return false }
            state.unanswered -= 1
            return true
        }
    }

    private func answer(_ question: HouseQuestion, _ say: (inout State) -> HouseAnswer) async throws -> HouseAnswer {
        let asked = state.withLock { state in
            let asked = Asked(question: question, answer: state.day == .good ? say(&state) : nil, day: state.day)
            state.asked.append(asked)
            if state.day == .silent { state.unanswered += 1 }
            return asked
        }
        if let answer = asked.answer { return answer }
        switch asked.day {
        case .silent: try await never.sleep(1)
        case .garbled: throw Garbled()
        case .down, .good: break
        }
        throw Down()
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let (typed, password) = (credentials["email"] ?? "", credentials["password"] ?? "")
        let key = foldsNames ? Self.fold(credentials.identifier) : credentials.identifier
        let said = try await answer(.recognise(identifier: typed, password: password)) { state in
            guard let reader = state.readers[key], reader.isKnown, reader.password == password else {
                return .recognition(.notRecognised(message: nil))
            }
            return .recognition(.recognised(self.subscriber(key, &state)))
        }
        guard case .recognition(let recognition) = said else { throw Down() }
        return recognition
    }

    /// As a database does that compares without case, accents, width and what is not seen.
    static func fold(_ name: String) -> String {
        let seen = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(seen))
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    private func subscriber(_ key: String, _ state: inout State) -> Subscriber {
        state.sessions += 1
        return Subscriber(backend: name, key: key, upstreamSession: opensSessions ? "session \(state.sessions)" : nil)
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        let said = try await answer(.subscription(subscriber)) { state in
            guard let reader = state.readers[subscriber.key], reader.isKnown else {
                return .subscription(Subscription(state: .unknown))
            }
            return .subscription(reader.subscription)
        }
        guard case .subscription(let subscription) = said else { throw Down() }
        return subscription
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        let said = try await answer(.renew(subscriber)) { state in
            guard let reader = state.readers[subscriber.key], reader.isKnown else {
                return .recognition(.notRecognised(message: nil))
            }
            return .recognition(.recognised(self.subscriber(subscriber.key, &state)))
        }
        guard case .recognition(let recognition) = said else { throw Down() }
        return recognition
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard let edition else { return nil }
        let said = try await answer(.verdict(edition, subscriber)) { state in
            .verdict(state.readers[subscriber.key]?.verdicts[edition])
        }
        guard case .verdict(let verdict) = said else { throw Down() }
        return verdict
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        _ = try await answer(.signOut(subscriber)) { _ in .done }
    }
}
