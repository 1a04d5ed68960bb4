import Backends
import Gatefold
import Settings
import Synchronization
import TestSupport

/// A backend whose every answer a test decides.
final class FakeMember: SubscriberBackend {
    struct Down: BackendFailure {
        var cause: String { "down" }
    }

    struct Script: Sendable {
        var recognise: @Sendable (Credentials) async throws -> Recognition = { _ in .notRecognised(message: nil) }
        var subscription: @Sendable (Subscriber) async throws -> Subscription = { _ in Subscription(state: .active) }
        var renew: @Sendable (Subscriber) async throws -> Recognition = { .recognised($0) }
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

    /// One that recognises everybody under this key.
    static func knowing(_ name: String, key: String = "1", session: String? = nil) -> FakeMember {
        FakeMember(name) {
            $0.recognise = { _ in .recognised(Subscriber(backend: name, key: key, upstreamSession: session)) }
        }
    }

    static func down(_ name: String) -> FakeMember {
        FakeMember(name) {
            $0.recognise = { _ in throw Down() }
            $0.subscription = { _ in throw Down() }
            $0.renew = { _ in throw Down() }
            $0.verdict = { _ in throw Down() }
            $0.signOut = { _ in throw Down() }
        }
    }

    func change(_ change: (inout Script) -> Void) { script.withLock { change(&$0) } }

    /// The questions asked so far, each with the subscriber's key and session.
    var asked: [String] { log.withLock { $0 } }

    private func note(_ question: String, _ subscriber: Subscriber? = nil) {
        log.withLock {
            $0.append(subscriber.map { "\(question) \($0.key) \($0.upstreamSession ?? "-")" } ?? question)
        }
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        note("recognise")
        return try await script.withLock(\.recognise)(credentials)
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        note("subscription", subscriber)
        return try await script.withLock(\.subscription)(subscriber)
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        note("renew", subscriber)
        return try await script.withLock(\.renew)(subscriber)
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        note("verdict", subscriber)
        return try await script.withLock(\.verdict)(subscriber)
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        note("sign out", subscriber)
        try await script.withLock(\.signOut)(subscriber)
    }

    func grantsFeed(to subscriber: Subscriber) -> Bool { script.withLock(\.grantsFeed) }
}

/// What a backend shares, with events kept.
func testServices(
    members: [any SubscriberBackend] = [], clock: ManualClock = ManualClock(), events: EventLog = EventLog()
) throws -> BackendServices {
    BackendServices(
        clock: clock.wall, random: .seeded(1),
        passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
        references: ReferenceKey(Secret(Array("a secret for references".utf8))), observe: { events.add($0) },
        members: Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0) }))
}

/// The events of backends, and a way to wait for one.
final class EventLog: Sendable {
    private let events = Mutex<[BackendEvent]>([])

    func add(_ event: BackendEvent) { events.withLock { $0.append(event) } }

    var all: [BackendEvent] { events.withLock { $0 } }
    var names: [String] { all.map(\.name) }

    /// Waits until so many events have come; gives up after a long while.
    @discardableResult
    func wait(for count: Int) async -> [BackendEvent] {
        let deadline = ContinuousClock.now + .seconds(120)
        while all.count < count, ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
        return all
    }
}

/// A backend's settings as its kind reads them.
func backendSettings(_ yaml: String, folder: String = "/nowhere") throws -> SettingsSection {
    try YAMLSettings.read(text: yaml, name: "gatefold.yaml", folder: folder)
}
