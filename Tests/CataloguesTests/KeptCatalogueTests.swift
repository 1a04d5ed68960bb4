import Foundation
import Gatefold
import SQLAccess
import Settings
import Synchronization
import TestSupport
import Testing

@testable import Catalogues

@Suite("A catalogue that is kept")
struct KeptCatalogueTests {
    private static let id = PublicationID("daily")!
    private let clock = ManualClock()

    /// What somebody heard, and what a file of the source has.
    private final class Bed: Sendable {
        let folder: URL
        let clock: ManualClock
        let published = Mutex<[[String]]>([])
        let events = Mutex<[CatalogueEvent]>([])
        /// Whether whoever is told takes care of it.
        let isHeard = Mutex(true)

        init(_ folder: URL, _ clock: ManualClock) {
            self.folder = folder
            self.clock = clock
        }

        var services: CatalogueServices {
            CatalogueServices(
                clock: clock.wall, random: .seeded(1), observe: { event in self.events.withLock { $0.append(event) } },
                didPublish: { _, editions in
                    self.published.withLock { $0.append(editions.map(\.id.rawValue)) }
                    return self.isHeard.withLock { $0 }
                })
        }

        func plan(_ more: String = "") throws -> CataloguePlan {
            let text = "kind: baker\npath: shelf.json\nrefresh: 15m\nretry: 1m\n\(more)"
            return try CataloguePlan(
                try YAMLSettings.read(text: text, name: "test.yaml", folder: folder.path, environment: [:]))
        }

        func memory() -> CatalogueMemory {
            CatalogueMemory(folder: "\(folder.path)/catalogues", publication: KeptCatalogueTests.id)
        }

        func open(_ more: String = "") throws -> KeptCatalogue {
            try KeptCatalogue(KeptCatalogueTests.id, try plan(more), memory: memory(), services: services)
        }

        /// What follows the catalogue after a reload.
        func reopen(_ more: String, after before: KeptCatalogue) throws -> KeptCatalogue {
            try KeptCatalogue(
                KeptCatalogueTests.id, try plan(more), memory: before.memory, services: services,
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

    private func withBed(_ body: (Bed) async throws -> Void) async throws {
        try await withTemporaryFolder { try await body(Bed($0, clock)) }
    }

    @Test("announces again what nobody took care of, a while later and after a restart, and what was is announced once")
    func heard() async throws {
        try await withBed { bed in
            try bed.shelf(["a"])
            await (try bed.open()).follow()
            bed.isHeard.withLock { $0 = false }
            try bed.shelf(["a", "b"])
            let kept = try bed.open()
            for _ in 0..<3 { await kept.follow() }
            #expect(bed.published.withLock { $0 } == [["b"]])
            clock.advance(by: 10)
            await kept.follow()
            #expect(bed.published.withLock { $0 } == [["b"], ["b"]])
            #expect(!bed.events.withLock { $0.contains { $0.name == .published } })
            // Killed before it was heard, or before that was noted.
            bed.isHeard.withLock { $0 = true }
            let next = try bed.open()
            for _ in 0..<3 { await next.follow() }
            clock.advance(by: 10)
            await next.follow()
            await (try bed.open()).follow()
            #expect(bed.published.withLock { $0.count } == 3)
            #expect(bed.events.withLock { $0.filter { $0.name == .published }.map(\.detail) } == ["b"])
        }
    }

    @Test("is in force when the source gave it, is not asked for before its time, and then follows the source")
    func follows() async throws {
        try await withBed { bed in
            try bed.shelf(["a", "b"])
            let kept = try bed.open()
            await kept.follow()
            #expect(kept.current.value.editions.count == 2)
            try bed.shelf(["a", "b", "c"])
            await kept.follow()
            #expect(kept.current.value.editions.count == 2)
            clock.advance(by: 1_000)
            await kept.follow()
            #expect(kept.current.value.editions.count == 3)
            #expect(!kept.status(at: clock.now).isStale)
        }
    }

    @Test(
        "is fetched, and announced again, when it is time by a clock that nobody sets",
        arguments: [100 * 86_400, -100 * 86_400])
    func clockSteps(step: Double) async throws {
        try await withBed { bed in
            try bed.shelf(["a"], date: "2025-10-01 00:00:00")
            let kept = try bed.open()
            await kept.follow()
            bed.isHeard.withLock { $0 = false }
            try bed.shelf(["a", "b"], date: "2025-10-01 00:00:00")
            clock.step(by: step)
            await kept.follow()
            #expect(kept.current.value.editions.count == 1, "it is not time yet")
            clock.advance(by: 1_000)
            await kept.follow()
            #expect(kept.current.value.editions.count == 2)
            let announced = bed.published.withLock(\.count)
            #expect(announced > 0)
            clock.step(by: step)
            await kept.follow()
            #expect(bed.published.withLock(\.count) == announced)
            clock.advance(by: 10)
            await kept.follow()
            #expect(bed.published.withLock(\.count) > announced)
        }
    }

    @Test("survives a restart during an outage, grows old then, and the outage is logged once")
    func outage() async throws {
        try await withBed { bed in
            try bed.shelf(["a", "b"])
            await (try bed.open()).follow()
            try FileManager.default.removeItem(at: bed.folder.appending(path: "shelf.json"))
            let again = try bed.open()
            #expect(again.current.value.editions.count == 2)
            for _ in 0..<10 {
                clock.advance(by: 1_000)
                await again.follow()
            }
            #expect(again.current.value.editions.count == 2)
            let status = again.status(at: clock.now)
            #expect(status.isStale && status.failures == 10)
            #expect(bed.warnings == [CatalogueFailure.unreadableFile.cause])
            let file = bed.folder.appending(path: "catalogues/daily.json").path
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            try bed.shelf(["a", "b"])
            clock.advance(by: 1_000)
            await again.follow()
            #expect(again.status(at: clock.now).failure == nil)
        }
    }

    @Test(
        "is not replaced by an empty one, by half of one, or by one that can not be read",
        arguments: [
            ("[]", "no editions"), (#"[{"name": "a", "date": "2026-10-01 00:00:00"}]"#, "has 1 editions"),
            (#"{"error": "down"}"#, "not a list"), ("<html>", "not JSON"),
            (
                #"[{"name": "a", "date": "2026-10-01 00:00:00"}, {"name": "b", "date": "today"}, "#
                    + #"{"name": "c", "date": "2026-10-01 00:00:00"}]"#, "item 2: its date"
            ),
        ])
    func refusals(text: String, reason: String) async throws {
        try await withBed { bed in
            try bed.shelf(["a", "b", "c"])
            let kept = try bed.open("skip_at_most: 0\n")
            await kept.follow()
            let before = kept.current.value
            try bed.write(text)
            clock.advance(by: 1_000)
            await kept.follow()
            #expect(kept.current.value == before)
            #expect(kept.status(at: clock.now).failure?.contains(reason) == true)
        }
    }

    @Test("is awaited, and not empty, until its source answered for the first time")
    func awaited() async throws {
        try await withBed { bed in
            let kept = try bed.open()
            await kept.follow()
            #expect(kept.current.value.isAwaited)
            #expect(kept.status(at: clock.now).isStale && kept.status(at: clock.now).editions == 0)
            try bed.shelf(["a"])
            clock.advance(by: 1_000)
            await kept.follow()
            #expect(kept.current.value.editions.count == 1)
            #expect(try !bed.open().current.value.isAwaited)
        }
    }

    @Test("of a publication that had none, or the configuration's, begins with nothing, or with those")
    func fromConfiguration() async throws {
        try await withBed { bed in
            let none = KeptCatalogue(Self.id, [], memory: bed.memory(), services: bed.services)
            #expect(try bed.reopen("", after: none).current.value.isAwaited)
            let written = Edition(id: EditionID("a")!, title: "A", published: clock.now - 60)
            let list = KeptCatalogue(Self.id, [written], memory: bed.memory(), services: bed.services)
            let kept = try bed.reopen("", after: list)
            await kept.follow()
            #expect(kept.current.value == Catalogue([written]))
        }
    }

    @Test("is not replaced by half of one after a change of its settings either, until a larger share is allowed")
    func shrinksAfterReload() async throws {
        try await withBed { bed in
            try bed.shelf(["a", "b", "c", "d"])
            let kept = try bed.open()
            await kept.follow()
            try bed.shelf(["a"])
            let changed = try bed.reopen("deadline: 9s\n", after: kept)
            await changed.follow()
            #expect(changed.current.value.editions.count == 4)
            #expect(changed.status(at: clock.now).failure?.contains("has 1 editions") == true)
            // After a restart with other settings as well.
            let restarted = try bed.open("deadline: 8s\n")
            await restarted.follow()
            #expect(restarted.current.value.editions.count == 4)
            let allowed = try bed.reopen("shrink_at_most: 75%\n", after: changed)
            await allowed.follow()
            #expect(allowed.current.value.editions.count == 1)
        }
    }

    @Test("is not replaced by half of one that was remembered and is unchanged since")
    func shrinksUnchanged() async throws {
        try await withBed { bed in
            try bed.shelf(["a"])
            await (try bed.open()).follow()
            let written = ["a", "b", "c", "d"].map {
                Edition(id: EditionID($0)!, title: $0, published: clock.now - 60)
            }
            let list = KeptCatalogue(Self.id, written, memory: bed.memory(), services: bed.services)
            let kept = try bed.reopen("", after: list)
            await kept.follow()
            #expect(kept.current.value == Catalogue(written))
            #expect(kept.status(at: clock.now).failure?.contains("has 1 editions") == true)
            // What is remembered and in force is not fetched again.
            let restarted = try bed.open()
            bed.events.withLock { $0 = [] }
            await restarted.follow()
            #expect(bed.events.withLock { $0.map(\.name) } == [.unchanged])
        }
    }

    @Test("follows its source although what followed it before a reload has noted the same answer")
    func overtaken() async throws {
        try await withBed { bed in
            try bed.shelf(["a", "b"])
            let old = try bed.open()
            await old.follow()
            // The reload begins: the next one takes what is shown now.
            let next = try bed.reopen("deadline: 9s\n", after: old)
            try bed.shelf(["a", "b", "c"])
            clock.advance(by: 1_000)
            await old.follow()
            await next.follow()
            #expect(next.current.value.editions.count == 3)
        }
    }

    @Test("passes over as many unreadable items as allowed, and warns of them")
    func skips() async throws {
        try await withBed { bed in
            try bed.write(#"[{"name": "a", "date": "2026-10-01 00:00:00"}, {"name": "b", "date": "today"}]"#)
            let kept = try bed.open("skip_at_most: 1\n")
            await kept.follow()
            #expect(kept.current.value.offered(at: clock.now).map(\.id.rawValue) == ["a"])
            #expect(bed.warnings.first?.contains("item 2: its date can not be read") == true)
        }
    }

    @Test("announces each edition once over restarts, and none of those that were there at the beginning")
    func announces() async throws {
        try await withBed { bed in
            try bed.shelf(["old"])
            await (try bed.open()).follow()
            #expect(bed.published.withLock { $0 } == [])
            for _ in 0..<3 {
                try bed.shelf(["old", "new"])
                clock.advance(by: 1_000)
                await (try bed.open()).follow()
            }
            #expect(bed.published.withLock { $0 } == [["new"]])
        }
    }

    @Test("announces an edition of the configuration when its date comes, and no draft")
    func dates() async throws {
        try await withBed { bed in
            let editions = [
                Edition(id: EditionID("next")!, title: "Next", published: clock.now + 3_600),
                Edition(id: EditionID("draft")!, title: "Draft", published: clock.now + 3_600, isDraft: true),
            ]
            let memory = CatalogueMemory(folder: "\(bed.folder.path)/catalogues", publication: Self.id)
            let kept = KeptCatalogue(Self.id, editions, memory: memory, services: bed.services)
            await kept.follow()
            clock.advance(by: 3_599)
            await kept.follow()
            #expect(bed.published.withLock { $0 } == [])
            clock.advance(by: 1)
            await kept.follow()
            await kept.follow()
            #expect(bed.published.withLock { $0 } == [["next"]])
        }
    }

    @Test(
        "is on the disk when it is kept: its folder is synced after the file took its place, and else nothing is kept")
    func durability() async throws {
        try await withBed { bed in
            let synced = Mutex<[(path: String, isThere: Bool)]>([])
            let isBroken = Mutex(false)
            let memory = CatalogueMemory(
                folder: "\(bed.folder.path)/catalogues", publication: Self.id,
                synchronise: { path throws(DurableFolder.SyncFailure) in
                    let isThere = FileManager.default.fileExists(atPath: path)
                    synced.withLock { $0.append((path, isThere)) }
                    if isBroken.withLock(\.self) { throw DurableFolder.SyncFailure(path: path, code: EIO) }
                })
            try memory.update(firmly: true) { $0.announced = [] }
            let folder = bed.folder.appending(path: "catalogues").path
            #expect(synced.withLock { $0.map(\.path) } == ["\(folder)/daily.json", folder])
            #expect(synced.withLock { $0.allSatisfy(\.isThere) })
            isBroken.withLock { $0 = true }
            #expect(throws: CatalogueMemoryError(code: EIO)) {
                try memory.update(firmly: true) { $0.announced = [EditionID("new")!] }
            }
            #expect(memory.value.announced == [])
        }
    }

    @Test("announces again what it can not remember, and says once that it can not")
    func unwritable() async throws {
        try await withBed { bed in
            try bed.shelf(["old"])
            let kept = try bed.open()
            await kept.follow()
            // A folder in the file's place can not be written over.
            let file = bed.folder.appending(path: "catalogues/daily.json")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.createDirectory(
                at: file.appending(path: "in the way"), withIntermediateDirectories: true)
            try bed.shelf(["old", "new"])
            clock.advance(by: 1_000)
            await kept.follow()
            await kept.follow()
            #expect(kept.current.value.editions.count == 2)
            #expect(bed.published.withLock { $0 } == [["new"]])
            #expect(bed.warnings.count == 1)
            try FileManager.default.removeItem(at: file)
            clock.advance(by: 10)
            for _ in 0..<3 { await kept.follow() }
            #expect(bed.published.withLock { $0 } == [["new"], ["new"]])
            #expect(bed.events.withLock { $0.count { $0.name == .published } } == 1)
        }
    }

    @Test("remembers everything about an edition")
    func memory() throws {
        var samples = SampleEditions(random: SeededRandom(seed: 8))
        let record = CatalogueRecord(
            fingerprint: [1, 2], confirmedAt: clock.now, validators: CatalogueValidators(tag: "\"x\""),
            editions: (0..<50).map { samples.edition($0) }, announced: [EditionID("a")!])
        let read = try JSONDecoder().decode(CatalogueRecord.self, from: try JSONEncoder().encode(record))
        #expect(read == record)
    }
}
