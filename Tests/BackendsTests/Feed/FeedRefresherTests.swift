import Foundation
import Gatefold
import Primitives
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing

@Suite("Feed shared by several processes") struct FeedRefresherTests {
    private static let ann = "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,\n"
    private static let both = ann + "2,bob@example.com,\(FeedHashes.right),active,\n"

    @Test("The second process leaves the first one's unfinished files alone and reports that the lock is held")
    func second() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let first = try harness.open()
            try harness.write("half", to: "kept/house.part-1")
            let second = try harness.open()
            #expect(first.store.holdsLock && !second.store.holdsLock)
            #expect(!second.store.acquireLock())
            #expect(harness.files == ["house.lock", "house.part-1"])
            await #expect(throws: FeedUnavailable.lockedElsewhere) { try await second.subscription("1") }
            await #expect(throws: FeedUnavailable.notLoadedYet) { try await first.subscription("1") }
            withExtendedLifetime(first) {}
        }
    }

    @Test("The second process reads the feeds that the first one loads, and its status")
    func follows() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let (first, second) = (try harness.open(), try harness.open())
            for (text, rows) in [(Self.ann, 1), (Self.both, 2)] {
                try harness.write(text)
                #expect(await first.fetch().outcome == .replaced)
                #expect(!second.store.acquireLock())
                #expect(second.store.current?.summary.rows == rows)
                #expect(second.store.status == first.store.status)
                #expect(try await second.subscription("\(rows)").state == .active)
            }
            // An unchanged database is not opened again.
            let before = try #require(second.store.current)
            second.store.acquireLock()
            #expect(second.store.current === before)
            // An unreadable database does not replace the current one.
            try harness.write("this is no database, and long enough to look like one", to: "kept/house.sqlite")
            second.store.acquireLock()
            #expect(second.store.current === before)
            withExtendedLifetime(first) {}
        }
    }

    @Test("The second process fetches nothing while the first is running, and takes over afterwards")
    func takesOver() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(Self.ann)
            let first = Mutex<FeedHarness.Opened?>(try harness.open())
            #expect(await first.withLock(\.self)?.fetch().outcome == .replaced)
            try harness.write(Self.both)
            try harness.write("half", to: "kept/house.part-1")
            let (waits, waiting) = AsyncStream.makeStream(of: TimeInterval.self)
            let backend = try harness.kind(FeedHarness.settings + "\nschedule: {every: 90s}").open(
                BackendServices(
                    clock: harness.clock.wall, random: .seeded(1),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    pseudonymKey: PseudonymKey(Secret(Array("a secret for pseudonyms".utf8))))
            ) { update in
                FeedRefresher(update) { seconds in
                    waiting.yield(seconds)
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            var seen: [TimeInterval] = []
            for await wait in waits {
                seen.append(wait)
                if seen.count == 3 {
                    #expect(backend.store.current?.summary.rows == 1)
                    #expect(harness.files.contains("house.part-1"))
                    first.withLock { $0 = nil }
                }
                if wait > 1 { break }
            }
            #expect(seen.prefix(3) == [1, 1, 1])
            #expect(backend.store.holdsLock)
            // The settings differ from the first one's, so it fetched at once.
            #expect(backend.store.current?.summary.rows == 2)
            #expect(!harness.files.contains("house.part-1"))
        }
    }

    @Test("The lock of a killed process is free", .enabled(if: access("/usr/bin/flock", X_OK) == 0))
    func killed() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "kept"), withIntermediateDirectories: true)
            let launch = ServerProcess.Launch(
                "/usr/bin/flock", ["-nF", "kept/house.lock", "/bin/sh", "-c", ": > held; exec sleep 600"], in: folder,
                until: .file(folder.appending(path: "held")))
            let second = try await withServer(launch) { server in
                let second = try harness.open()
                #expect(!second.store.acquireLock())
                return second
            }
            #expect(second.store.acquireLock())
        }
    }
}
