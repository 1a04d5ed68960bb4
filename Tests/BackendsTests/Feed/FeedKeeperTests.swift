import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("A feed that several have open") struct FeedKeeperTests {
    private static let ann = "id,email,password,state,editions\n1,ann@example.com,\(FeedHashes.right),active,\n"
    private static let both = ann + "2,bob@example.com,\(FeedHashes.right),active,\n"

    @Test("Whoever opens it second leaves alone what the first is making, and says that it is not the keeper")
    func second() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let first = try bed.open()
            try bed.write("half", to: "kept/house.part-1")
            let second = try bed.open()
            #expect(first.store.isKeeper && !second.store.isKeeper)
            #expect(!second.store.keep())
            #expect(bed.files == ["house.lock", "house.part-1"])
            await #expect(throws: FeedUnavailable.keptElsewhere) { try await second.subscription("1") }
            await #expect(throws: FeedUnavailable.noneYet) { try await first.subscription("1") }
            withExtendedLifetime(first) {}
        }
    }

    @Test("A second one reads what the first puts into force, its status too")
    func follows() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let (first, second) = (try bed.open(), try bed.open())
            for (text, rows) in [(Self.ann, 1), (Self.both, 2)] {
                try bed.write(text)
                #expect(await first.fetch().outcome == .swapped)
                #expect(!second.store.keep())
                #expect(second.store.current?.summary.rows == rows)
                #expect(second.store.status == first.store.status)
                #expect(try await second.subscription("\(rows)").state == .active)
            }
            // What has not changed is not opened again.
            let before = try #require(second.store.current)
            second.store.keep()
            #expect(second.store.current === before)
            // One that can not be read takes nothing away.
            try bed.write("this is no database, and long enough to look like one", to: "kept/house.sqlite")
            second.store.keep()
            #expect(second.store.current === before)
            withExtendedLifetime(first) {}
        }
    }

    @Test("A second one fetches nothing while the first is there, and takes over once it is gone")
    func takesOver() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(Self.ann)
            let first = Mutex<FeedBed.Opened?>(try bed.open())
            #expect(await first.withLock(\.self)?.fetch().outcome == .swapped)
            try bed.write(Self.both)
            try bed.write("half", to: "kept/house.part-1")
            let (waits, waiting) = AsyncStream.makeStream(of: TimeInterval.self)
            let backend = try bed.kind(FeedBed.settings + "\nschedule: {every: 90s}").open(
                BackendServices(
                    clock: bed.clock.wall, random: .seeded(1),
                    passwords: PasswordVerifier(hasher: try PasswordHasher(cost: 1), concurrency: 1),
                    references: ReferenceKey(Secret(Array("a secret for references".utf8))))
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
                    #expect(bed.files.contains("house.part-1"))
                    first.withLock { $0 = nil }
                }
                if wait > 1 { break }
            }
            #expect(seen.prefix(3) == [1, 1, 1])
            #expect(backend.store.isKeeper)
            // The settings are others than the first one's, so it fetched at once.
            #expect(backend.store.current?.summary.rows == 2)
            #expect(!bed.files.contains("house.part-1"))
        }
    }

    @Test("The lock of a process that was killed is free", .enabled(if: access("/usr/bin/flock", X_OK) == 0))
    func killed() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "kept"), withIntermediateDirectories: true)
            let launch = ServerProcess.Launch(
                "/usr/bin/flock", ["-nF", "kept/house.lock", "/bin/sh", "-c", ": > held; exec sleep 600"], in: folder,
                until: .file(folder.appending(path: "held")))
            let second = try await withServer(launch) { server in
                let second = try bed.open()
                #expect(!second.store.keep())
                return second
            }
            #expect(second.store.keep())
        }
    }
}
