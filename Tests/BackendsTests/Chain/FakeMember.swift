import Backends
import Gatefold
import Primitives
import Settings
import Synchronization
import TestSupport

@testable import PasswordHashing
@testable import Resilience

/// A backend whose results a test scripts.
final class FakeMember: EditionDecidingBackend, FeedGrantingBackend, RenewingBackend, SigningOutBackend {
    struct UnavailableError: BackendFailure {
        var cause: String { "down" }
    }

    struct Script: Sendable {
        var authenticate: @Sendable (Credentials) async throws -> AuthenticationResult = { _ in .rejected(message: nil)
        }
        var subscription: @Sendable (Subscriber) async throws -> Subscription = { _ in Subscription(state: .active) }
        var renew: @Sendable (Subscriber) async throws -> AuthenticationResult = { .authenticated($0) }
        var verdict: @Sendable (Subscriber) async throws -> EditionVerdict? = { _ in nil }
        var signOut: @Sendable (Subscriber) async throws -> Void = { _ in }
        var grantsFeed = false
    }

    let name: String
    private let script: Mutex<Script>
    private let log = Mutex<[String]>([])

    init(_ name: String, _ change: (inout Script) -> Void = { _ in }) {
        self.name = name
        var script = Script()
        change(&script)
        self.script = Mutex(script)
    }

    /// Returns a member that authenticates every reader under this key.
    static func knowing(_ name: String, key: String = "1", session: String? = nil) -> FakeMember {
        FakeMember(name) {
            $0.authenticate = { _ in .authenticated(Subscriber(backend: name, key: key, upstreamSession: session)) }
        }
    }

    static func down(_ name: String) -> FakeMember {
        FakeMember(name) {
            $0.authenticate = { _ in throw UnavailableError() }
            $0.subscription = { _ in throw UnavailableError() }
            $0.renew = { _ in throw UnavailableError() }
            $0.verdict = { _ in throw UnavailableError() }
            $0.signOut = { _ in throw UnavailableError() }
        }
    }

    func change(_ change: (inout Script) -> Void) { script.withLock { change(&$0) } }

    /// The queries so far, each with the subscriber's key and session.
    var queried: [String] { log.withLock { $0 } }

    private func record(_ query: String, _ subscriber: Subscriber? = nil) {
        log.withLock {
            $0.append(subscriber.map { "\(query) \($0.key) \($0.upstreamSession ?? "-")" } ?? query)
        }
    }

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        record("authenticate")
        return Fetched(try await script.withLock(\.authenticate)(credentials))
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        record("subscription", subscriber)
        return Fetched(try await script.withLock(\.subscription)(subscriber))
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        record("renew", subscriber)
        return try await script.withLock(\.renew)(subscriber)
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        record("verdict", subscriber)
        return Fetched(try await script.withLock(\.verdict)(subscriber))
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        record("sign out", subscriber)
        try await script.withLock(\.signOut)(subscriber)
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { script.withLock(\.grantsFeed) }
}

/// Returns backend services that record events.
func testServices(
    members: [any SubscriberBackend] = [], clock: ManualClock = ManualClock(), events: EventLog = EventLog()
) throws -> BackendServices {
    BackendServices(
        clock: clock.wall, random: .seeded(1),
        passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
        pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))), observe: { events.add($0) },
        members: Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0) }))
}

/// A log of backend events that tests can wait for.
final class EventLog: Sendable {
    private let events = Mutex<[BackendEvent]>([])

    func add(_ event: BackendEvent) { events.withLock { $0.append(event) } }

    var all: [BackendEvent] { events.withLock { $0 } }
    var names: [String] { all.map(\.name) }

    /// Waits until the log has `count` events, or for two minutes at most.
    @discardableResult
    func wait(for count: Int) async -> [BackendEvent] {
        let deadline = ContinuousClock.now + .seconds(120)
        while all.count < count, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        return all
    }
}

/// Returns a backend's settings as its kind reads them.
func backendSettings(_ yaml: String, folder: String = "/nowhere") throws -> SettingsSection {
    try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: folder)
}
