import Foundation
import Gatefold
import SQLAccess
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Catalogues

@Suite("Cached catalogue")
struct CachedCatalogueTests {
    private static let id = PublicationID("daily")!
    private let clock = ManualClock()

    /// Records the announced editions and holds the source file.
    private final class CatalogueHarness: Sendable {
        let folder: URL
        let clock: ManualClock
        let published = Mutex<[[String]]>([])
        let events = Mutex<[CatalogueEvent]>([])
        /// Whether the listener accepts announcements.
        let isListening = Mutex(true)

        init(_ folder: URL, _ clock: ManualClock) {
            self.folder = folder
            self.clock = clock
        }

        var services: CatalogueServices {
            CatalogueServices(
                clock: clock.wall, random: .seeded(1), observe: { event in self.events.withLock { $0.append(event) } },
                didPublish: { _, editions in
                    self.published.withLock { $0.append(editions.map(\.id.rawValue)) }
                    return self.isListening.withLock { $0 }
                })
        }

        func plan(_ more: String = "") throws -> CataloguePlan {
            let text = "kind: baker\npath: shelf.json\nrefresh: 15m\nretry: 1m\n\(more)"
            return try CataloguePlan(
                try YAMLSettings.read(text: text, name: "test.yaml", folder: folder.path, environment: [:]))
        }

        func cache() -> CatalogueCache {
            CatalogueCache(folder: "\(folder.path)/catalogues", publication: CachedCatalogueTests.id)
        }

        func open(_ more: String = "") throws -> CachedCatalogue {
            try CachedCatalogue(CachedCatalogueTests.id, try plan(more), cache: cache(), services: services)
        }

        /// Opens the catalogue that succeeds another one after a reload.
        func reopen(_ more: String, after before: CachedCatalogue) throws -> CachedCatalogue {
            try CachedCatalogue(
                CachedCatalogueTests.id, try plan(more), cache: before.cache, services: services,
                before: before.current.value)
        }

        func shelf(_ names: [String], date: String = "2026-10-01 00:00:00") throws {
            let items = names.map {
                #"{"name": "\#($0)", "title": "\#($0)", "date": "\#(date)", "product_id": "\#($0)"}"#
            }
            try write("[\(items.joined(separator: ","))]")
        }

        func write(_ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: "shelf.json"), options: .atomic)
        }

        var warnings: [String] { events.withLock { $0.filter(\.isWarning).compactMap(\.detail) } }
    }

    private func withHarness(_ body: (CatalogueHarness) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(CatalogueHarness($0, clock)) }
    }

    @Test("Repeats an unaccepted announcement later and after a restart, and announces an accepted edition once")
    func heard() async throws {
        try await withHarness { harness in
            try harness.shelf(["a"])
            await (try harness.open()).follow()
            harness.isListening.withLock { $0 = false }
            try harness.shelf(["a", "b"])
            let catalogue = try harness.open()
            for _ in 0..<3 { await catalogue.follow() }
            #expect(harness.published.withLock { $0 } == [["b"]])
            clock.advance(by: 10)
            await catalogue.follow()
            #expect(harness.published.withLock { $0 } == [["b"], ["b"]])
            #expect(!harness.events.withLock { $0.contains { $0.name == .published } })
            // Killed before the announcement was accepted or recorded.
            harness.isListening.withLock { $0 = true }
            let next = try harness.open()
            for _ in 0..<3 { await next.follow() }
            clock.advance(by: 10)
            await next.follow()
            await (try harness.open()).follow()
            #expect(harness.published.withLock { $0.count } == 3)
            #expect(harness.events.withLock { $0.filter { $0.name == .published }.map(\.detail) } == ["b"])
        }
    }

    @Test("Becomes current with the first response, and refreshes only after the interval")
    func follows() async throws {
        try await withHarness { harness in
            try harness.shelf(["a", "b"])
            let catalogue = try harness.open()
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 2)
            try harness.shelf(["a", "b", "c"])
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 2)
            clock.advance(by: 1_000)
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 3)
            #expect(!catalogue.status(at: clock.now).isStale)
        }
    }

    @Test(
        "Refreshes and repeats announcements by the monotonic clock",
        arguments: [100 * 86_400, -100 * 86_400])
    func clockSteps(step: Double) async throws {
        try await withHarness { harness in
            try harness.shelf(["a"], date: "2025-10-01 00:00:00")
            let catalogue = try harness.open()
            await catalogue.follow()
            harness.isListening.withLock { $0 = false }
            try harness.shelf(["a", "b"], date: "2025-10-01 00:00:00")
            clock.step(by: step)
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 1, "fetched before the interval ended")
            clock.advance(by: 1_000)
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 2)
            let announced = harness.published.withLock(\.count)
            #expect(announced > 0)
            clock.step(by: step)
            await catalogue.follow()
            #expect(harness.published.withLock(\.count) == announced)
            clock.advance(by: 10)
            await catalogue.follow()
            #expect(harness.published.withLock(\.count) > announced)
        }
    }

    @Test("Survives a restart during an outage, becomes stale, and logs the outage once")
    func outage() async throws {
        try await withHarness { harness in
            try harness.shelf(["a", "b"])
            await (try harness.open()).follow()
            try FileManager.default.removeItem(at: harness.folder.appending(path: "shelf.json"))
            let again = try harness.open()
            #expect(again.current.value.editions.count == 2)
            for _ in 0..<10 {
                clock.advance(by: 1_000)
                await again.follow()
            }
            #expect(again.current.value.editions.count == 2)
            let status = again.status(at: clock.now)
            #expect(status.isStale && status.failures == 10)
            #expect(harness.warnings == [CatalogueFailure.unreadableFile.cause])
            let file = harness.folder.appending(path: "catalogues/daily.json").path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try harness.shelf(["a", "b"])
            clock.advance(by: 1_000)
            await again.follow()
            #expect(again.status(at: clock.now).failure == nil)
        }
    }

    @Test(
        "Is not replaced by an empty, halved or unreadable catalogue",
        arguments: [
            ("[]", "no editions"), (#"[{"name": "a", "date": "2026-10-01 00:00:00"}]"#, "has 1 editions"),
            (#"{"error": "down"}"#, "not a list"), ("<html>", "not JSON"),
            (
                #"[{"name": "a", "date": "2026-10-01 00:00:00"}, {"name": "b", "date": "today"}, "#
                    + #"{"name": "c", "date": "2026-10-01 00:00:00"}]"#, "item 2: its date"
            ),
        ])
    func rejections(text: String, reason: String) async throws {
        try await withHarness { harness in
            try harness.shelf(["a", "b", "c"])
            let catalogue = try harness.open("max_skipped: 0\n")
            await catalogue.follow()
            let before = catalogue.current.value
            try harness.write(text)
            clock.advance(by: 1_000)
            await catalogue.follow()
            #expect(catalogue.current.value == before)
            #expect(catalogue.status(at: clock.now).failure?.contains(reason) == true)
        }
    }

    @Test("Is pending, not empty, until the first response of its source")
    func pending() async throws {
        try await withHarness { harness in
            let catalogue = try harness.open()
            await catalogue.follow()
            #expect(catalogue.current.value.isPending)
            #expect(catalogue.status(at: clock.now).isStale && catalogue.status(at: clock.now).editions == 0)
            try harness.shelf(["a"])
            clock.advance(by: 1_000)
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 1)
            #expect(try !harness.open().current.value.isPending)
        }
    }

    @Test("Starts as pending, or with the configured editions, if the publication had no source before")
    func fromConfiguration() async throws {
        try await withHarness { harness in
            let none = CachedCatalogue(Self.id, [], cache: harness.cache(), services: harness.services)
            #expect(try harness.reopen("", after: none).current.value.isPending)
            let written = Edition(id: EditionID("a")!, title: "A", published: clock.now - 60)
            let list = CachedCatalogue(Self.id, [written], cache: harness.cache(), services: harness.services)
            let catalogue = try harness.reopen("", after: list)
            await catalogue.follow()
            #expect(catalogue.current.value == Catalogue([written]))
        }
    }

    @Test("A settings change does not allow halving either, until the limit is raised")
    func shrinksAfterReload() async throws {
        try await withHarness { harness in
            try harness.shelf(["a", "b", "c", "d"])
            let catalogue = try harness.open()
            await catalogue.follow()
            try harness.shelf(["a"])
            let changed = try harness.reopen("deadline: 9s\n", after: catalogue)
            await changed.follow()
            #expect(changed.current.value.editions.count == 4)
            #expect(changed.status(at: clock.now).failure?.contains("has 1 editions") == true)
            // After a restart with other settings as well.
            let restarted = try harness.open("deadline: 8s\n")
            await restarted.follow()
            #expect(restarted.current.value.editions.count == 4)
            let allowed = try harness.reopen("max_shrink: 75%\n", after: changed)
            await allowed.follow()
            #expect(allowed.current.value.editions.count == 1)
        }
    }

    @Test("Is not replaced by a cached, unchanged catalogue of half the size")
    func shrinksUnchanged() async throws {
        try await withHarness { harness in
            try harness.shelf(["a"])
            await (try harness.open()).follow()
            let written = ["a", "b", "c", "d"].map {
                Edition(id: EditionID($0)!, title: $0, published: clock.now - 60)
            }
            let list = CachedCatalogue(Self.id, written, cache: harness.cache(), services: harness.services)
            let catalogue = try harness.reopen("", after: list)
            await catalogue.follow()
            #expect(catalogue.current.value == Catalogue(written))
            #expect(catalogue.status(at: clock.now).failure?.contains("has 1 editions") == true)
            // A cached and current catalogue is not fetched again.
            let restarted = try harness.open()
            harness.events.withLock { $0 = [] }
            await restarted.follow()
            #expect(harness.events.withLock { $0.map(\.name) } == [.unchanged])
        }
    }

    @Test("Follows its source even if its predecessor recorded the same response during a reload")
    func overtaken() async throws {
        try await withHarness { harness in
            try harness.shelf(["a", "b"])
            let old = try harness.open()
            await old.follow()
            // The reload starts: the next catalogue takes over the current value.
            let next = try harness.reopen("deadline: 9s\n", after: old)
            try harness.shelf(["a", "b", "c"])
            clock.advance(by: 1_000)
            await old.follow()
            await next.follow()
            #expect(next.current.value.editions.count == 3)
        }
    }

    @Test("Skips the allowed number of unreadable items with a warning")
    func skips() async throws {
        try await withHarness { harness in
            try harness.write(#"[{"name": "a", "date": "2026-10-01 00:00:00"}, {"name": "b", "date": "today"}]"#)
            let catalogue = try harness.open("max_skipped: 1\n")
            await catalogue.follow()
            #expect(catalogue.current.value.offered(at: clock.now).map(\.id.rawValue) == ["a"])
            #expect(harness.warnings.first?.contains("item 2: its date cannot be read") == true)
        }
    }

    @Test("Announces each edition once across restarts, and none of the initial ones")
    func announces() async throws {
        try await withHarness { harness in
            try harness.shelf(["old"])
            await (try harness.open()).follow()
            #expect(harness.published.withLock { $0 } == [])
            for _ in 0..<3 {
                try harness.shelf(["old", "new"])
                clock.advance(by: 1_000)
                await (try harness.open()).follow()
            }
            #expect(harness.published.withLock { $0 } == [["new"]])
        }
    }

    @Test("Announces a configured edition on its date, and no draft")
    func dates() async throws {
        try await withHarness { harness in
            let editions = [
                Edition(id: EditionID("next")!, title: "Next", published: clock.now + 3_600),
                Edition(id: EditionID("draft")!, title: "Draft", published: clock.now + 3_600, isDraft: true),
            ]
            let cache = CatalogueCache(folder: "\(harness.folder.path)/catalogues", publication: Self.id)
            let catalogue = CachedCatalogue(Self.id, editions, cache: cache, services: harness.services)
            await catalogue.follow()
            clock.advance(by: 3_599)
            await catalogue.follow()
            #expect(harness.published.withLock { $0 } == [])
            clock.advance(by: 1)
            await catalogue.follow()
            await catalogue.follow()
            #expect(harness.published.withLock { $0 } == [["next"]])
        }
    }

    @Test(
        "Syncs the folder after the file is in place, and stores nothing if the sync fails")
    func durability() async throws {
        try await withHarness { harness in
            let synced = Mutex<[(path: String, isThere: Bool)]>([])
            let isBroken = Mutex(false)
            let cache = CatalogueCache(
                folder: "\(harness.folder.path)/catalogues", publication: Self.id,
                synchronise: { path throws(FileSync.SyncFailure) in
                    let isThere = FileManager.default.fileExists(atPath: path)
                    synced.withLock { $0.append((path, isThere)) }
                    if isBroken.withLock(\.self) { throw FileSync.SyncFailure(path: path, code: EIO) }
                })
            try cache.update(durably: true) { $0.announced = [] }
            let folder = harness.folder.appending(path: "catalogues").path
            #expect(synced.withLock { $0.map(\.path) } == ["\(folder)/daily.json", folder])
            #expect(synced.withLock { $0.allSatisfy(\.isThere) })
            isBroken.withLock { $0 = true }
            #expect(throws: CatalogueCacheError(code: EIO)) {
                try cache.update(durably: true) { $0.announced = [EditionID("new")!] }
            }
            #expect(cache.value.announced == [])
        }
    }

    @Test("Repeats announcements that it cannot record, with one warning")
    func unwritable() async throws {
        try await withHarness { harness in
            try harness.shelf(["old"])
            let catalogue = try harness.open()
            await catalogue.follow()
            // A folder in place of the file cannot be overwritten.
            let file = harness.folder.appending(path: "catalogues/daily.json")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(
                at: file.appending(path: "in the way"), withIntermediateDirectories: true)
            try harness.shelf(["old", "new"])
            clock.advance(by: 1_000)
            await catalogue.follow()
            await catalogue.follow()
            #expect(catalogue.current.value.editions.count == 2)
            #expect(harness.published.withLock { $0 } == [["new"]])
            #expect(harness.warnings.count == 1)
            try FileManager.default.removeItem(at: file)
            clock.advance(by: 10)
            for _ in 0..<3 { await catalogue.follow() }
            #expect(harness.published.withLock { $0 } == [["new"], ["new"]])
            #expect(harness.events.withLock { $0.count { $0.name == .published } } == 1)
        }
    }

    @Test("Stores every property of an edition")
    func cache() throws {
        var samples = SampleEditions(random: SeededRandom(seed: 8))
        let record = CatalogueRecord(
            fingerprint: [1, 2], confirmedAt: clock.now, validators: CatalogueValidators(tag: "\"x\""),
            editions: (0..<50).map { samples.edition($0) }, announced: [EditionID("a")!])
        let read = try JSONDecoder().decode(CatalogueRecord.self, from: try JSONEncoder().encode(record))
        #expect(read == record)
    }
}
