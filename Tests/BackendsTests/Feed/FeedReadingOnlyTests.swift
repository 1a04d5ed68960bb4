import Foundation
import Gatefold
import PasswordHashing
import Primitives
import TestSupport
import Testing

@testable import Backends

/// A feed that a command opens beside the server, or before it.
@Suite("Feed opened for reading only") struct FeedReadingOnlyTests {
    private static let table =
        "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,com.example.1\n"
        + "2,twin@example.com,,active,\n3,twin@example.com,,active,\n"

    private func open(_ harness: FeedHarness) throws -> FeedBackend {
        var services = BackendServices(
            clock: harness.clock.wall, random: .seeded(2),
            passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
            pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
        services.isReadOnly = true
        return try #require(try harness.kind().open(services) as? FeedBackend)
    }

    private func contents(_ harness: FeedHarness) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: harness.files.map { name in
                (name, try Data(contentsOf: harness.folder.appending(path: "kept/\(name)")))
            })
    }

    private func lookUp(_ backend: FeedBackend, _ identifier: String) async throws -> ReaderLookup {
        let credentials = try #require(Credentials(finding: identifier, field: "email"))
        return try await backend.lookUp(credentials, context: CallContext()).value
    }

    @Test("Without a folder, there is no feed, and no folder afterwards")
    func noFolder() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(Self.table)
            let backend = try open(harness)
            await #expect(throws: FeedUnavailable.notLoadedYet) { try await lookUp(backend, "ann@example.com") }
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "kept").path))
        }
    }

    @Test("Reads the feed in force; every file stays as it is, nobody fetches, and the lock is free")
    func unchanged() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(Self.table)
            do { _ = try await harness.open().fetch() }
            try harness.write("unfinished", to: "kept/house.part-1")
            // Settings that were not tried are due at once.
            try harness.write(Self.table.replacing("ann@", with: "eve@"))
            harness.clock.advance(by: 365 * 86_400)
            let before = try contents(harness)
            let backend = try open(harness)
            #expect(try await lookUp(backend, "Ann@example.com").subscribers.map(\.key) == ["1"])
            #expect(
                try await backend.subscription(of: Subscriber(backend: "house", key: "1"), context: CallContext())
                    .value.state == .active)
            let lock = try FeedLock(path: folder.appending(path: "kept/house.lock").path)
            #expect(lock.take())
            #expect(try contents(harness) == before)
        }
    }

    @Test("An identifier of two readers is ambiguous, and not merely unknown")
    func ambiguous() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(Self.table)
            let feed = try harness.open()
            await feed.fetch()
            #expect(try await lookUp(feed.backend, "twin@example.com") == ReaderLookup(ambiguous: ["house"]))
            #expect(try await lookUp(feed.backend, "nobody@example.com") == ReaderLookup())
        }
    }
}
