import AccessModel
import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport

/// A fake subscriber system that stores readers, simulates outages, and records its queries and results.
final class FakeSubscriberSystem: EditionDecidingBackend, RenewingBackend, SigningOutBackend {
    struct Reader: Sendable {
        var password = "right"
        var subscription = Subscription(state: .active)
        var verdicts: [EditionID: EditionVerdict] = [:]
        var isKnown = true
    }

    /// The current condition. It returns results only if it is good.
    enum SystemCondition: CaseIterable, Sendable {
        case good
        /// Fails at once.
        case down
        /// Never responds.
        case silent
        /// Returns unreadable results about one reader.
        case garbled
    }

    /// - Parameter result: The result, or nil if the system did not respond.
    struct ReceivedQuery: Sendable {
        let query: ModelQuery
        let result: ModelResult?
        let day: SystemCondition
    }

    private struct State {
        var readers: [String: Reader] = [:]
        var day = SystemCondition.good
        var sessions = 0
        var queried: [ReceivedQuery] = []
        /// The number of unanswered queries whose deadline has not passed yet.
        var unanswered = 0
    }

    private struct UnavailableError: Error {}
    private struct Garbled: RequestScopedFailure {
        let cause = "not understood"
        let isRequestScoped = true
    }

    let name = "house"
    private let opensSessions: Bool
    /// Whether it treats look-alike names as equal.
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

    var day: SystemCondition {
        get { state.withLock { $0.day } }
        set { state.withLock { $0.day = newValue } }
    }

    /// Returns the queries since the last call.
    func takeReceivedQueries() -> [ReceivedQuery] {
        state.withLock { state in
            defer { state.queried = [] }
            return state.queried
        }
    }

    /// A sleep that ends at once for queries to a silent system, and never for others.
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

    private func result(_ query: ModelQuery, _ report: (inout State) -> ModelResult) async throws -> ModelResult {
        let queried = state.withLock { state in
            let queried = ReceivedQuery(query: query, result: state.day == .good ? report(&state) : nil, day: state.day)
            state.queried.append(queried)
            if state.day == .silent { state.unanswered += 1 }
            return queried
        }
        if let result = queried.result { return result }
        switch queried.day {
        case .silent: try await never.sleep(1)
        case .garbled: throw Garbled()
        case .down, .good: break
        }
        throw UnavailableError()
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let (typed, password) = (credentials["email"] ?? "", credentials["password"] ?? "")
        let key = foldsNames ? Self.fold(credentials.identifier) : credentials.identifier
        let queryResult = try await result(.authenticate(identifier: typed, password: password)) { state in
            guard let reader = state.readers[key], reader.isKnown, reader.password == password else {
                return .authentication(.rejected(message: nil))
            }
            return .authentication(.authenticated(self.subscriber(key, &state)))
        }
        guard case .authentication(let authentication) = queryResult else { throw UnavailableError() }
        return Fetched(authentication)
    }

    /// Folds a name like a database that ignores case, accents, width and invisible characters.
    static func fold(_ name: String) -> String {
        let seen = name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }
        return String(String.UnicodeScalarView(seen))
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    private func subscriber(_ key: String, _ state: inout State) -> Subscriber {
        state.sessions += 1
        return Subscriber(backend: name, key: key, upstreamSession: opensSessions ? "session \(state.sessions)" : nil)
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        let queryResult = try await result(.subscription(subscriber)) { state in
            guard let reader = state.readers[subscriber.key], reader.isKnown else {
                return .subscription(Subscription(state: .unknown))
            }
            return .subscription(reader.subscription)
        }
        guard case .subscription(let subscription) = queryResult else { throw UnavailableError() }
        return Fetched(subscription)
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        let queryResult = try await result(.renew(subscriber)) { state in
            guard let reader = state.readers[subscriber.key], reader.isKnown else {
                return .authentication(.rejected(message: nil))
            }
            return .authentication(.authenticated(self.subscriber(subscriber.key, &state)))
        }
        guard case .authentication(let authentication) = queryResult else { throw UnavailableError() }
        return authentication
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard let edition else { return Fetched(nil) }
        let queryResult = try await result(.verdict(edition, subscriber)) { state in
            .verdict(state.readers[subscriber.key]?.verdicts[edition])
        }
        guard case .verdict(let verdict) = queryResult else { throw UnavailableError() }
        return Fetched(verdict)
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        _ = try await result(.signOut(subscriber)) { _ in .done }
    }
}
