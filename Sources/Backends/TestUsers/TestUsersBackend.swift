import Foundation
public import Gatefold
public import Primitives

/// The users of the historic test endpoint, for app developers. They produce every result that a reader can get,
/// and the responses of a slow or broken server. The backend knows no real reader and opens no real edition.
///
/// Source: Pugpig test endpoint and test console, “Test users”.
public struct TestUsersBackend: EditionDecidingBackend, FeedGrantingBackend, LookupBackend, RenewingBackend {
    public static let defaultName = "test-users"

    public let name: String
    private let clock: WallClock
    private let random: RandomSource
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a backend.
    ///
    /// - Parameters:
    ///   - name: The name of the backend in the configuration.
    ///   - clock: The source of the current time.
    ///   - random: The source of randomness.
    ///   - sleep: Delays the late responses of the status coders.
    public init(
        name: String = defaultName, clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.name = name
        self.clock = clock
        self.random = random
        self.sleep = sleep
    }

    /// Authenticates a test user.
    ///
    /// - Throws: `ScriptedResponse` with the response of a broken server, or a cancellation error.
    public func authenticate(
        _ credentials: Credentials, context: CallContext
    ) async throws -> Fetched<AuthenticationResult> {
        let username = credentials.identifier
        guard !username.isEmpty else {
            throw ScriptedResponse(status: 400, text: "Please send the name of a test user as username")
        }
        switch TestUser(username) {
        case nil:
            return .rejected(message: "Invalid credentials")
        case .peter where credentials["password"]?.lowercased() != "pan":
            return .rejected(message: "Invalid credentials")
        case .statusCoder(let code, _, _):
            try await play(code)
        default:
            break
        }
        return .authenticated(Subscriber(backend: name, key: username))
    }

    public var supportsLookup: Bool { true }

    public func lookUp(_ credentials: Credentials, context: CallContext) -> Fetched<ReaderLookup> {
        guard TestUser(credentials.identifier) != nil else { return Fetched(ReaderLookup()) }
        return Fetched(ReaderLookup([Subscriber(backend: name, key: credentials.identifier)]))
    }

    public func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        if subscriber.key.isEmpty { return Fetched(Subscription(state: .stale, message: "No token!")) }
        guard let user = TestUser(subscriber.key) else {
            return Fetched(Subscription(state: .inactive, message: "Unknown token"))
        }
        var subscription = try await subscription(of: user, context)
        subscription.userInfo = [UserInfoCategory(scheme: Self.usernameScheme, value: subscriber.key)]
        return Fetched(subscription)
    }

    /// The user information scheme under which the historic endpoint names the reader in every verification.
    ///
    /// Source: Pugpig protocol, “User information categories”.
    private static let usernameScheme = "http://schema.pugpig.com/custom_analytics/username#15"

    private func subscription(of user: TestUser, _ context: CallContext) async throws -> Subscription {
        switch user {
        case .ordinary(let activity, let holding):
            let (isActive, message) = present(activity)
            return Subscription(
                state: isActive ? .active : .inactive, message: message,
                entitlement: entitlement(holding, TestEditions(context.fields)))
        case .yesByProxy, .longJSON, .credentialsError, .peter:
            return Self.everything
        case .expiredToken, .blockedToken, .alwaysStaleToken:
            return Subscription(state: .stale, message: "You need to log in again!")
        case .statusCoder(_, let code, _):
            try await play(code)
            return Self.everything
        }
    }

    /// Renews without a check: even an invented token is renewed.
    public func renew(_ subscriber: Subscriber, context: CallContext) -> AuthenticationResult {
        if subscriber.key.isEmpty { return .rejected(message: "No token!") }
        switch TestUser(subscriber.key) {
        case .expiredToken:
            return .authenticated(Subscriber(backend: name, key: "activeall"))
        case .blockedToken:
            return .rejected(message: "This token cannot be renewed")
        case .alwaysStaleToken:
            // The token differs from the previous one and is still stale.
            return .authenticated(
                Subscriber(
                    backend: name, key: subscriber.key, upstreamSession: (subscriber.upstreamSession ?? "") + "X"))
        default:
            return .authenticated(Subscriber(backend: name, key: subscriber.key))
        }
    }

    public func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        Fetched(try await verdict(on: edition, for: subscriber, context))
    }

    private func verdict(
        on edition: EditionID?, for subscriber: Subscriber, _ context: CallContext
    ) async throws -> EditionVerdict {
        if subscriber.key.isEmpty { return .rejected(.notEntitled, message: "No token! Please sign in first") }
        let user = TestUser(subscriber.key)
        if case .statusCoder(_, _, let code) = user { try await play(code) }
        switch user {
        case .peter, .longJSON: return .granted
        case .credentialsError: return .rejected(nil, message: "something bad happened")
        default: break
        }
        guard let edition else {
            return .rejected(.notEntitled, message: "No product requested! Please send its identifier as product_id")
        }
        switch user {
        case .statusCoder:
            return .granted
        case .ordinary(let activity, let holding):
            let (isActive, message) = present(activity)
            let isGranted =
                switch holding {
                case .all, .global: isActive
                case .none: false
                case .some, .random: entitlement(holding, TestEditions(context.fields)).includes(edition)
                }
            return isGranted ? .granted : .rejected(.notEntitled, message: message)
        case .yesByProxy:
            return .rejected(.notEntitled, message: "Sorry, we don't know who you are")
        case .expiredToken, .blockedToken, .alwaysStaleToken:
            return .rejected(.notEntitled, message: "You need to log in again!")
        case .peter, .longJSON, .credentialsError, nil:
            return .rejected(.notEntitled, message: "Unknown token")
        }
    }

    public func grantsFeed(to subscriber: Subscriber) -> Bool {
        if case .ordinary(_, .global) = TestUser(subscriber.key) { true } else { false }
    }

    private static let everything = Subscription(
        state: .active, message: "This subscription is active", entitlement: .allEditions)

    private func present(_ activity: TestUser.Activity) -> (isActive: Bool, message: String) {
        switch activity {
        case .active: return (true, "This subscription is active")
        case .lapsed: return (false, "This subscription has lapsed")
        case .flip:
            // An hour has twelve slots, so the count since 1970 has the same parity as the count since the start of
            // the hour.
            let seconds = Int(clock.now.timeIntervalSince1970.rounded(.down))
            let left = 300 - seconds % 300
            return (seconds / 300) % 2 == 1
                ? (true, "This subscription is active for another \(left) seconds")
                : (false, "This subscription is inactive for another \(left) seconds")
        }
    }

    private func entitlement(_ holding: TestUser.Holding, _ editions: TestEditions) -> Entitlement {
        switch holding {
        case .all, .global: return .allEditions
        case .none: return .nothing
        case .some: return .editions(editions.everySecond)
        case .random:
            let all = editions.all
            return .editions(Set(zip(all, random.bytes(all.count)).lazy.filter { $0.1 & 1 == 1 }.map(\.0)))
        }
    }

    /// Plays a status code. Returns if the result is to be that of `activeall`.
    private func play(_ code: TestUser.StatusCode) async throws {
        switch code {
        case .fine: break
        case .notXML: throw ScriptedResponse(status: 200, text: "This text is not XML")
        case .late: try await sleep(.seconds(60))
        case .status(let status): throw ScriptedResponse(status: status, text: "This response has the status \(status)")
        }
    }
}
