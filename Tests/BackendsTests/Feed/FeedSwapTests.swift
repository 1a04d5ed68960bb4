import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("Feed replacement during reads", .serialized) struct FeedSwapTests {
    /// The editions that readers saw and the durations of their reads.
    private final class RecordedEvents: Sendable {
        private let over = Atomic(false)
        let seen = Mutex<Set<String>>([])
        let times = Mutex<[Duration]>([])

        var isOver: Bool { over.load(ordering: .relaxed) }
        func end() { over.store(true, ordering: .relaxed) }
    }

    @Test("Readers always see one whole feed while 50 are swapped")
    func whole() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            func table(_ number: Int) -> String {
                "id,email,password,state,editions\n"
                    + (1...200).map { "\($0),r\($0)@example.com,\(FeedHashes.right),active,com.example.\(number)\n" }
                    .joined()
            }
            try harness.write(table(0))
            let feed = try harness.open()
            await feed.fetch()
            let recordedEvents = RecordedEvents()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        while !recordedEvents.isOver {
                            let one = try #require(feed.store.current)
                            var editions: Set<String> = []
                            for key in ["1", "100", "200"] {
                                let records = try await one.records(
                                    of: key, byIdentifier: false, requiresEveryField: true)
                                editions.insert(try #require(try records.first?.value("editions")))
                                #expect(try await feed.subscription(key).state == .active)
                            }
                            #expect(editions.count == 1, "\(editions)")
                            recordedEvents.seen.withLock { $0.formUnion(editions) }
                        }
                    }
                }
                for number in 1...50 {
                    try harness.write(table(number))
                    #expect(await feed.fetch().outcome == .replaced)
                }
                recordedEvents.end()
                try await group.waitForAll()
            }
            #expect(recordedEvents.seen.withLock { $0.count } > 1)
            #expect(feed.store.current?.summary.readers == 200)
            #expect(harness.files == ["house.lock", "house.sqlite", "house.status.json"])
        }
    }

    @Test("A full disk rejects the new feed and keeps the current one", .enabled(if: getuid() == 0))
    func fullDisk() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let stored = folder.appending(path: "kept")
            try FileManager.default.createDirectory(at: stored, withIntermediateDirectories: true)
            let mount = try await CommandRun.of(
                "/bin/mount", ["-t", "tmpfs", "-o", "size=512k", "none", stored.path], in: folder)
            try #require(mount.status == 0, "\(mount.errors)")
            func row(_ number: Int) -> String { "\(number),r\(number)@example.com,\(FeedHashes.right),active,\n" }
            func table(_ count: Int) -> String {
                "id,email,password,state,editions\n" + (1...count).map(row).joined()
            }
            do {
                let feed = try harness.open()
                try harness.write(table(10))
                #expect(await feed.fetch().outcome == .replaced)
                // One feed that fits as a file but not as a database, and one that does not fit at all.
                for count in [2_500, 20_000] {
                    try harness.write(table(count))
                    let status = await feed.fetch()
                    #expect(status.outcome == .rejected, "\(count)")
                    #expect(status.reason?.hasPrefix("the feed cannot be stored") == true, "\(status.reason ?? "")")
                    #expect(try await feed.subscription("10").state == .active)
                    #expect(harness.files == ["house.lock", "house.sqlite", "house.status.json"])
                }
                try harness.write(table(12))
                #expect(await feed.fetch().outcome == .replaced)
            } catch {
                _ = try await CommandRun.of("/bin/umount", ["-l", stored.path], in: folder)
                throw error
            }
            _ = try await CommandRun.of("/bin/umount", ["-l", stored.path], in: folder)
        }
    }

    @Test("Compressed feeds are unpacked within the size limit, and a broken one is rejected")
    func packed() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let settings = FeedHarness.settings + "\nlayout: {gzip: true}\nlimits: {max_size: 100KiB}"
            let feed = try harness.open(settings)
            func pack(_ text: String) async throws -> [UInt8] {
                try harness.write(text, to: "plain")
                _ = try await CommandRun.of("/bin/gzip", ["-kf", "plain"], in: folder)
                return [UInt8](try Data(contentsOf: folder.appending(path: "plain.gz")))
            }
            let row = "1,ann@example.com,\(FeedHashes.right),active,\n"
            let whole = try await pack("id,email,password,state,editions\n" + row)
            try harness.write(whole)
            #expect(await feed.fetch().outcome == .replaced)
            for broken in [
                Array(whole.dropLast(1)), Array(whole.dropLast(12)), Array("id,email\n".utf8), whole + whole.prefix(9),
            ] {
                try harness.write(broken)
                #expect(await feed.fetch().reason == FeedRejection.compression.description)
            }
            try harness.write(try await pack(String(repeating: "0", count: 110 << 10)))
            #expect(await feed.fetch().reason == FeedRejection.tooLarge(limit: 100 << 10).description)
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("A large feed is loaded with little memory while readers are served")
    func large() async throws {
        let rows = ProcessInfo.processInfo.environment["GATEFOLD_FEED_ROWS"].flatMap(Int.init) ?? 20_000
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let file = folder.appending(path: "readers.csv")
            func write(_ edition: String) throws {
                try Data().write(to: file)
                let handle = try FileHandle(forWritingTo: file)
                try handle.write(contentsOf: Data("id,email,password,state,editions\n".utf8))
                var text = ""
                for number in 1...rows {
                    text += "\(number),reader-\(number)@example.com,\(FeedHashes.right),active,com.example.\(edition)\n"
                    if text.utf8.count > 1 << 20 {
                        try handle.write(contentsOf: Data(text.utf8))
                        text = ""
                    }
                }
                try handle.write(contentsOf: Data(text.utf8))
                try handle.close()
            }
            let feed = try harness.open()
            try write("old")
            #expect(await feed.fetch().outcome == .replaced)
            try write("new")
            let recordedEvents = RecordedEvents()
            let clock = ContinuousClock()
            let began = clock.now
            async let reading: Void = {
                var number = 0
                while !recordedEvents.isOver {
                    number = (number + 7919) % rows
                    let start = clock.now
                    let reported = try await feed.subscription("\(number + 1)")
                    let took = clock.now - start
                    #expect(reported.state == .active)
                    recordedEvents.times.withLock { $0.append(took) }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }()
            #expect(await feed.fetch().outcome == .replaced)
            let took = clock.now - began
            recordedEvents.end()
            try await reading
            let sorted = recordedEvents.times.withLock { $0.sorted() }
            try #require(!sorted.isEmpty, "no read happened during the swap")
            let peak =
                (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8))?
                .split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? ""
            print(
                "\(rows) rows swapped in \(took); \(sorted.count) reads meanwhile, median \(sorted[sorted.count / 2]), "
                    + "p99 \(sorted[sorted.count * 99 / 100]), slowest \(sorted.last ?? .zero); \(peak)")
            #expect(feed.store.current?.summary.rows == rows)
        }
    }
}
