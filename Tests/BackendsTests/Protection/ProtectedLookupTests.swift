import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

@Suite("Lookups behind the protections of a backend") struct ProtectedLookupTests {
    /// A backend that counts its lookups and can fail or hang.
    private final class Directory: LookupBackend {
        enum Mode { case responding, failing, hanging }

        let name = "house"
        let supportsLookup: Bool
        let mode = Mutex(Mode.responding)
        let lookups = Mutex(0)
        let present = Mutex((now: 0, max: 0))

        init(supportsLookup: Bool = true) {
            self.supportsLookup = supportsLookup
        }

        func authenticate(_ credentials: Credentials, context: CallContext) -> Fetched<AuthenticationResult> {
            .rejected(message: nil)
        }

        func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
            switch mode.withLock({ $0 }) {
            case .responding: break
            case .failing: throw FakeMember.UnavailableError()
            case .hanging: try await Task.sleep(for: .seconds(3600))
            }
            return Fetched(Subscription(state: .active))
        }

        func lookUp(_ credentials: Credentials, context: CallContext) async throws -> Fetched<ReaderLookup> {
            lookups.withLock { $0 += 1 }
            present.withLock {
                $0.now += 1
                $0.max = max($0.max, $0.now)
            }
            defer { present.withLock { $0.now -= 1 } }
            await Task.yield()
            switch mode.withLock({ $0 }) {
            case .responding: break
            case .failing: throw FakeMember.UnavailableError()
            case .hanging: try await Task.sleep(for: .seconds(3600))
            }
            return Fetched(ReaderLookup([Subscriber(backend: name, key: credentials.identifier)]))
        }
    }

    private struct Harness {
        let directory: Directory
        let time = ManualTime()
        let backend: ProtectedBackend

        init(_ directory: Directory = Directory(), _ change: (inout ProtectionSettings) -> Void = { _ in }) throws {
            self.directory = directory
            var settings = ProtectionSettings()
            change(&settings)
            let services = BackendServices(
                clock: time.clock.wall, random: .seeded(7),
                passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                pseudonymKey: PseudonymKey(Secret("Ms9yP4xT0vAz6oBr-pseudonyms")))
            backend = ProtectedBackend(
                directory, varyingFields: [], decidesEditions: true, settings: settings, services: services,
                sleep: time.sleep)
        }

        func lookUp(_ identifier: String = "ada") async throws -> ReaderLookup {
            let credentials = try #require(Credentials(finding: identifier, field: "email"))
            return try await backend.lookUp(credentials, context: CallContext()).value
        }
    }

    @Test("Is never cached, and changes no cached result")
    func cache() async throws {
        let harness = try Harness()
        let ada = Subscriber(backend: "house", key: "ada")
        _ = try await harness.backend.subscription(of: ada, context: CallContext())
        let entries = harness.backend.status.entries
        #expect(entries == 1)
        for _ in 0..<3 { #expect(try await harness.lookUp().subscribers == [ada]) }
        for number in 0..<500 { _ = try await harness.lookUp("nobody-\(number)") }
        #expect(harness.directory.lookups.withLock { $0 } == 503)
        #expect(harness.backend.status.entries == entries)
        #expect(try await harness.backend.subscription(of: ada, context: CallContext()).freshness == .cached)
    }

    @Test("Lookups wait for each other, and take one slot from the readers")
    func limit() async throws {
        let harness = try Harness { $0.concurrency.maxConcurrent = 2 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { _ = try await harness.lookUp("reader-\(number)") } }
            try await group.waitForAll()
        }
        #expect(harness.directory.present.withLock(\.max) == 1)
        #expect(harness.directory.lookups.withLock { $0 } == 20)
    }

    @Test("A full limit rejects a lookup at once, because it yields to the readers")
    func full() async throws {
        let harness = try Harness { $0.concurrency.maxConcurrent = 1 }
        harness.directory.mode.withLock { $0 = .hanging }
        let reader = Task {
            try await harness.backend.subscription(
                of: Subscriber(backend: "house", key: "ada"), context: CallContext())
        }
        try await eventually("the reader's query is sent") { harness.backend.status.inUse == 1 }
        await #expect(throws: ProtectionError.busy) { try await harness.lookUp() }
        try await eventually("the deadline passes") {
            harness.time.advance(by: 60)
            return harness.backend.status.inUse == 0
        }
        _ = await reader.result
        // The turn of the rejected lookup is over.
        harness.directory.mode.withLock { $0 = .responding }
        #expect(try await harness.lookUp().subscribers.count == 1)
    }

    @Test("Failed lookups open no breaker and are no sign of bad health: an operator cannot cause an outage")
    func failures() async throws {
        let harness = try Harness()
        harness.directory.mode.withLock { $0 = .failing }
        for number in 0..<200 {
            await #expect(throws: FakeMember.UnavailableError.self) { try await harness.lookUp("reader-\(number)") }
        }
        #expect(harness.directory.lookups.withLock { $0 } == 200)
        harness.directory.mode.withLock { $0 = .responding }
        #expect(harness.backend.status.breaker == .closed)
        try await harness.backend.health()
        let ada = Subscriber(backend: "house", key: "ada")
        #expect(try await harness.backend.subscription(of: ada, context: CallContext()).value.state == .active)
    }

    @Test("A breaker that readers have opened sends no lookup")
    func breaker() async throws {
        let harness = try Harness()
        harness.directory.mode.withLock { $0 = .failing }
        for number in 0..<200 {
            _ = try? await harness.backend.subscription(
                of: Subscriber(backend: "house", key: "\(number)"), context: CallContext())
        }
        #expect(harness.backend.status.breaker == .open)
        await #expect(throws: ProtectionError.breakerOpen) { try await harness.lookUp() }
        #expect(harness.directory.lookups.withLock { $0 } == 0)
    }

    @Test("A backend that cannot look up is not queried, and its breaker learns nothing")
    func unsupported() async throws {
        let harness = try Harness(Directory(supportsLookup: false))
        #expect(!harness.backend.supportsLookup)
        #expect(try await harness.lookUp() == ReaderLookup(unsupported: ["house"]))
        #expect(harness.directory.lookups.withLock { $0 } == 0)
    }

    @Test("Ends at the deadline")
    func deadline() async throws {
        let harness = try Harness()
        harness.directory.mode.withLock { $0 = .hanging }
        let lookup = Task { try await harness.lookUp() }
        try await eventually("the lookup is sent") { harness.directory.lookups.withLock { $0 } == 1 }
        try await eventually("the deadline passes") {
            harness.time.advance(by: 60)
            return harness.backend.status.inUse == 0
        }
        await #expect(throws: ProtectionError.deadlineExceeded) { try await lookup.value }
    }
}
