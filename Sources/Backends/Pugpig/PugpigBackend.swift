import Gatefold
import OutgoingRequests

/// A backend that forwards to another endpoint of the same protocol. It serves to put Gatefold in front of that
/// endpoint or to migrate away from it.
///
/// The endpoint's token is sealed inside Gatefold's token. A reader's key is the sign-in identifier because the
/// endpoint's token may change with each renewal.
struct PugpigBackend: EditionDecidingBackend, FeedGrantingBackend, RenewingBackend, SigningOutBackend {
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

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        guard let parameters = rules.parameters(credentials), !credentials.identifier.isEmpty,
            parameters.allSatisfy({ parameter in
                !parameter.value.allSatisfy(\.isWhitespace) && !parameter.value.utf8.contains(0)
                    // The endpoint's error for oversized input would count as an outage.
                    && parameter.value.utf8.count <= CredentialFields.maxFieldLength
            })
        else { return .rejected(message: nil) }
        do {
            let token = try PugpigDocuments.token(try await send(.signIn, parameters))
            return Fetched(
                authentication(token, key: credentials.identifier, passesMessage: rules.passesMessages))
        } catch is UnsendableValue {
            // A value that cannot be sent cannot belong to any reader.
            return .rejected(message: nil)
        }
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard let session = session(of: subscriber) else { return Fetched(Subscription(state: .unknown)) }
        return Fetched(try PugpigDocuments.subscription(try await send(.verify, [("token", session.token)])))
    }

    /// Renews the endpoint's token together with Gatefold's. An endpoint without that call is queried for the
    /// validity of its token instead.
    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        guard let session = session(of: subscriber) else { return .rejected(message: nil) }
        guard calls.has(.renew) else {
            let reported = try PugpigDocuments.subscription(try await send(.verify, [("token", session.token)]))
            let isGood = reported.state != .unknown && reported.state != .stale
            return isGood ? .authenticated(subscriber) : .rejected(message: reported.message)
        }
        let response = try await send(.renew, [("token", session.token)])
        return authentication(try PugpigDocuments.token(response), key: subscriber.key, passesMessage: true)
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard rules.queriesEditions, let edition else { return Fetched(nil) }
        guard let session = session(of: subscriber) else { return Fetched(.rejected(.rejected, message: nil)) }
        let parameters = [("token", session.token), ("product_id", edition.description)]
        return Fetched(try PugpigDocuments.verdict(try await send(.credentials, parameters)))
    }

    /// Returns whether the endpoint issued the feed password to the subscriber. The subscriber then receives
    /// Gatefold's feed password.
    func grantsFeed(to subscriber: Subscriber) -> Bool { session(of: subscriber)?.opensFeed ?? false }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        guard calls.has(.signOut), let session = session(of: subscriber) else { return }
        let response = try await send(.signOut, [("token", session.token)])
        // Status 501 means that there is nothing to end.
        //
        // Source: Pugpig protocol, “Sign out”.
        guard response.status == 200 || response.status == 501 else { throw PugpigFailure.status(response.status) }
    }

    /// Sends a verification with an unknown token. Any response below status 500 proves that the endpoint is
    /// available.
    func health() async throws {
        let response = try await send(.verify, [("token", "nobody")])
        guard response.status < 500 else { throw PugpigFailure.status(response.status) }
    }

    private func send(_ call: PugpigCalls.Call, _ parameters: [(String, String)]) async throws -> OutboundResponse {
        guard let request = try calls.request(call, parameters.map { (name: $0.0, value: $0.1) }) else {
            throw PugpigFailure.status(501)
        }
        return try await http.send(request)
    }

    private func authentication(
        _ response: PugpigDocuments.Token, key: String, passesMessage: Bool
    ) -> AuthenticationResult {
        switch response {
        case .token(let token, let opensFeed):
            let session = PugpigSession(token: token, opensFeed: opensFeed)
            return .authenticated(Subscriber(backend: name, key: key, upstreamSession: session.text))
        case .rejected(let message): return .rejected(message: passesMessage ? message : nil)
        }
    }

    private func session(of subscriber: Subscriber) -> PugpigSession? {
        guard subscriber.backend == name else { return nil }
        return subscriber.upstreamSession.flatMap { PugpigSession($0) }
    }
}

/// The result of the endpoint's sign-in as one text: its token and whether it issued the feed password.
struct PugpigSession: Equatable, Sendable {
    let token: String
    let opensFeed: Bool

    init(token: String, opensFeed: Bool) {
        self.token = token
        self.opensFeed = opensFeed
    }

    init?(_ text: String) {
        guard let flag = text.first, flag == "f" || flag == "-", text.count > 1 else { return nil }
        opensFeed = flag == "f"
        token = String(text.dropFirst())
    }

    var text: String { (opensFeed ? "f" : "-") + token }
}
