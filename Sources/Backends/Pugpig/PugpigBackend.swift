import Gatefold
import OutgoingRequests

/// Passes on to another endpoint of the same protocol: to put one in front of it, or to move away from it.
///
/// The endpoint's token is kept sealed inside ours. A reader's key is what they signed in as, because the endpoint's token
/// may change with each renewal.
struct PugpigBackend: SubscriberBackend {
    let name: String
    private let calls: PugpigCalls
    private let http: OutgoingHTTP
    private let rules: PugpigRules

    init(name: String, calls: PugpigCalls, http: OutgoingHTTP, rules: PugpigRules) {
        self.name = name
        self.calls = calls
        self.http = http
        self.rules = rules
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        guard let parameters = rules.parameters(credentials), !credentials.identifier.isEmpty,
            parameters.allSatisfy({ parameter in
                !parameter.value.allSatisfy(\.isWhitespace) && !parameter.value.utf8.contains(0)
                    // What an endpoint finds too large would be an outage.
                    && parameter.value.utf8.count <= CredentialFields.longestField
            })
        else { return .notRecognised(message: nil) }
        do {
            return recognition(
                try PugpigDocuments.token(try await ask(.signIn, parameters)), key: credentials.identifier,
                passesMessage: rules.passesMessages)
        } catch is Unsendable {
            // What a reader typed that can not even be asked about is nobody's.
            return .notRecognised(message: nil)
        }
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard let session = session(of: subscriber) else { return Subscription(state: .unknown) }
        return try PugpigDocuments.subscription(try await ask(.verify, [("token", session.token)]))
    }

    /// Renews the endpoint's token along with ours. An endpoint without that call is asked whether the token is still good.
    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        guard let session = session(of: subscriber) else { return .notRecognised(message: nil) }
        guard calls.has(.renew) else {
            let told = try PugpigDocuments.subscription(try await ask(.verify, [("token", session.token)]))
            let isGood = told.state != .unknown && told.state != .stale
            return isGood ? .recognised(subscriber) : .notRecognised(message: told.message)
        }
        let answer = try await ask(.renew, [("token", session.token)])
        return recognition(try PugpigDocuments.token(answer), key: subscriber.key, passesMessage: true)
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard rules.asksForEditions, let edition else { return nil }
        guard let session = session(of: subscriber) else { return .refused(.notRecognised, message: nil) }
        let parameters = [("token", session.token), ("product_id", edition.description)]
        return try PugpigDocuments.verdict(try await ask(.credentials, parameters))
    }

    /// Whoever the endpoint gave the feed's password gets ours.
    func grantsFeed(to subscriber: Subscriber) -> Bool { session(of: subscriber)?.opensFeed ?? false }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        guard calls.has(.signOut), let session = session(of: subscriber) else { return }
        let answer = try await ask(.signOut, [("token", session.token)])
        // 501 says that there is nothing to end (PROTOCOLS 1.2).
        guard answer.status == 200 || answer.status == 501 else { throw PugpigFailure.status(answer.status) }
    }

    /// Any answer to nobody's token says that the endpoint is there; what it is, is its own business.
    func health() async throws {
        let answer = try await ask(.verify, [("token", "nobody")])
        guard answer.status < 500 else { throw PugpigFailure.status(answer.status) }
    }

    private func ask(_ call: PugpigCalls.Call, _ parameters: [(String, String)]) async throws -> HTTPAnswer {
        guard let question = try calls.question(call, parameters.map { (name: $0.0, value: $0.1) }) else {
            throw PugpigFailure.status(501)
        }
        return try await http.send(question)
    }

    private func recognition(
        _ answer: PugpigDocuments.Token, key: String, passesMessage: Bool
    ) -> Recognition {
        switch answer {
        case .token(let token, let opensFeed):
            let session = PugpigSession(token: token, opensFeed: opensFeed)
            return .recognised(Subscriber(backend: name, key: key, upstreamSession: session.text))
        case .refused(let message): return .notRecognised(message: passesMessage ? message : nil)
        }
    }

    private func session(of subscriber: Subscriber) -> PugpigSession? {
        guard subscriber.backend == name else { return nil }
        return subscriber.upstreamSession.flatMap { PugpigSession($0) }
    }
}

/// What is kept of an endpoint's sign-in: its token, and whether it opened the feed, as one text.
struct PugpigSession: Equatable, Sendable {
    let token: String
    let opensFeed: Bool

    init(token: String, opensFeed: Bool) {
        self.token = token
        self.opensFeed = opensFeed
    }

    init?(_ text: String) {
        guard let mark = text.first, mark == "f" || mark == "-", text.count > 1 else { return nil }
        opensFeed = mark == "f"
        token = String(text.dropFirst())
    }

    var text: String { (opensFeed ? "f" : "-") + token }
}
