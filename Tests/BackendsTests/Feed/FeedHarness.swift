import Foundation
import Gatefold
import Primitives
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience
@testable import Transfers

/// A feed backend in its own folder that fetches when a test says so.
final class FeedHarness: Sendable {
    let folder: URL
    let clock: ManualClock
    let events = Mutex<[BackendEvent]>([])

    init(_ folder: URL, clock: ManualClock = ManualClock()) {
        self.folder = folder
        self.clock = clock
    }

    static let settings = """
        folder: kept
        source: {url: "file://FOLDER/readers.csv"}
        format: csv
        columns: {identifier: email, key: id, proof: password}
        subscription: {state: {from: state}, editions: {from: editions}}
        """

    func write(_ text: String, to name: String = "readers.csv") throws { try write(Array(text.utf8), to: name) }

    func write(_ bytes: [UInt8], to name: String = "readers.csv") throws {
        try Data(bytes).write(to: folder.appending(path: name), options: .atomic)
    }

    func kind(_ settings: String = FeedHarness.settings, environment: [String: String] = [:]) throws -> FeedBackendKind
    {
        let section = try YAMLSettings.read(
            text: settings.replacing("FOLDER", with: folder.path), name: "gatefold.yaml", folder: folder.path,
            environment: environment)
        let kind = try FeedBackendKind(name: "house", settings: section)
        try section.finish()
        return kind
    }

    /// A feed store with its update and the backend that reads it.
    struct Opened: Sendable {
        let store: FeedStore
        let update: FeedUpdate
        let backend: FeedBackend

        /// Fetches once, immediately.
        @discardableResult
        func fetch() async -> FeedStatus {
            let update = update
            await FeedRefresher.onOwnThread { update.run(isCancelled: $0) }
            return store.status
        }

        func authenticate(_ email: String, _ password: String) async throws -> AuthenticationResult {
            try await backend.authenticate(credentials(email, password), context: CallContext()).value
        }

        func subscription(_ key: String) async throws -> Subscription {
            try await backend.subscription(of: Subscriber(backend: "house", key: key), context: CallContext()).value
        }
    }

    func open(_ settings: String = FeedHarness.settings, environment: [String: String] = [:]) throws -> Opened {
        let kind = try kind(settings, environment: environment)
        let services = BackendServices(
            clock: clock.wall, random: .seeded(1),
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 2),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))),
            observe: { event in self.events.withLock { $0.append(event) } })
        var update: FeedUpdate?
        let backend = try kind.open(services) {
            update = $0
            return nil
        }
        return Opened(store: backend.store, update: try #require(update), backend: backend)
    }

    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "kept").path)) ?? []).sorted()
    }
}

/// Hashes that the default proof rule reads.
enum FeedHashes {
    static let right: String = {
        guard let hasher = try? PasswordHasher(cost: 1), let hash = try? hasher.hash("right") else { return "" }
        return hash
    }()
}
