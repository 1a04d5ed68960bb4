import Foundation
import GRDB
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import Resilience

@Suite("Feed backend") struct FeedBackendTests {
    private func table(_ rows: String) -> String {
        "id,email,password,state,editions\n" + rows.replacing("HASH", with: FeedHashes.right)
    }

    private let ann = "1,Ann@Example.com,HASH,active,com.example.1;com.example.2\n"
    private let bob = "2,bob@example.com,,inactive,\n"

    @Test("Authenticates by the proof and returns the subscription of the reader's row")
    func responses() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann + bob))
            let feed = try harness.open()
            #expect(await feed.fetch().outcome == .replaced)
            #expect(
                try await feed.authenticate("ann@example.com", "right")
                    == .authenticated(Subscriber(backend: "house", key: "1")))
            for (email, password) in [
                ("ann@example.com", "wrong"), ("nobody@example.com", "right"), ("bob@example.com", "right"),
                ("bob@example.com", ""), ("", "right"), ("ann@example.com\u{0}", "right"),
            ] {
                #expect(try await feed.authenticate(email, password) == .rejected(message: nil), "\(email)")
            }
            let reported = try await feed.subscription("1")
            #expect(reported.state == .active)
            #expect(reported.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
            #expect(try await feed.subscription("2").entitlement == .nothing)
            #expect(try await feed.subscription("3") == Subscription(state: .unknown))
            #expect(try await feed.subscription("1\u{0}").state == .unknown)
            try await feed.backend.health()
        }
    }

    @Test("Pitfall 9: without a loaded feed every query fails, and no reader is unknown")
    func notLoadedYet() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let feed = try harness.open()
            #expect(await feed.fetch().outcome == .unreachable)
            await #expect(throws: FeedUnavailable.notLoadedYet) {
                try await feed.authenticate("ann@example.com", "right")
            }
            await #expect(throws: FeedUnavailable.notLoadedYet) { try await feed.subscription("1") }
            await #expect(throws: FeedUnavailable.notLoadedYet) { try await feed.backend.health() }
            try harness.write(table(ann))
            #expect(await feed.fetch().outcome == .replaced)
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("Pitfall 9: the last good feed is used while the source is gone, and after a restart")
    func restart() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            var feed = try harness.open()
            await feed.fetch()
            try FileManager.default.removeItem(at: folder.appending(path: "readers.csv"))
            for _ in 1...2 {
                let status = await feed.fetch()
                #expect(status.outcome == .unreachable && status.failures > 0)
                #expect(try await feed.subscription("1").state == .active)
                feed = try harness.open()
            }
            #expect(feed.store.status.failures == 2, "retained across the restart")
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("Unfinished files are deleted, and the stored files are readable by their owner only")
    func cleaning() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "kept"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try harness.write("half", to: "kept/house.part-1")
            try harness.write("other's", to: "kept/other.part-1")
            let feed = try harness.open()
            await feed.fetch()
            #expect(harness.files == ["house.lock", "house.sqlite", "house.status.json", "other.part-1"])
            let stored = folder.appending(path: "kept").path
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(stored) == 0o700)
            #expect(try mode(stored + "/house.sqlite") == 0o600)
            #expect(try mode(stored + "/house.status.json") == 0o600)
        }
    }

    @Test("A damaged database counts as missing and is replaced, even by the same feed")
    func brokenFile() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            await (try harness.open()).fetch()
            try harness.write("this is no database, and long enough to look like one", to: "kept/house.sqlite")
            let feed = try harness.open()
            // The thread of the first fetch may release the first store, which holds the lock, later than the test does.
            #expect(try await eventually { feed.store.acquireLock() })
            await #expect(throws: FeedUnavailable.notLoadedYet) { try await feed.subscription("1") }
            #expect(await feed.fetch().outcome == .replaced)
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("A feed loaded with other columns is not used; another mapping needs no reload")
    func otherSettings() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            await (try harness.open()).fetch()
            let renamed = FeedHarness.settings.replacing("identifier: email", with: "identifier: state")
            #expect(throws: FeedUnavailable.notLoadedYet) {
                guard try harness.open(renamed).store.current != nil else { throw FeedUnavailable.notLoadedYet }
            }
            let mapped = FeedHarness.settings.replacing(
                "state: {from: state}", with: "state: {suspended: [active], active: [x]}")
            #expect(try await harness.open(mapped).subscription("1").state == .suspended)
        }
    }

    @Test("An unchanged file is not loaded again")
    func unchanged() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            let feed = try harness.open()
            await feed.fetch()
            let loaded = feed.store.current?.summary.loadedAt
            harness.clock.advance(by: 3600)
            try harness.write(table(ann))
            #expect(await feed.fetch().outcome == .unchanged)
            #expect(feed.store.current?.summary.loadedAt == loaded)
            try harness.write(table(ann + bob))
            #expect(await feed.fetch().outcome == .replaced)
        }
    }

    @Test(
        "A feed that shrank, has too few rows or too many bad rows is rejected; one that grew is loaded"
    )
    func sanity() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            func rows(_ count: Int) -> String { (1...count).map { "\($0),r\($0)@example.com,HASH,active,\n" }.joined() }
            let feed = try harness.open(
                FeedHarness.settings + "\nlimits: {min_rows: 5, max_shrink: 20%, max_bad_rows: 10%}")
            for (text, reason) in [
                (rows(4), FeedRejection.tooFew(rows: 4, minimum: 5)), (rows(100), nil),
                (rows(79), .shrunk(from: 100, to: 79)), (rows(80), nil), (rows(200), nil),
                ("", .tooFew(rows: 0, minimum: 5)),
                (rows(180) + String(repeating: "x\n", count: 21), .badRows(21, of: 201)),
                (rows(180) + String(repeating: "x\n", count: 20), nil),
            ] {
                let before = feed.store.current?.summary.rows
                try harness.write(table(text))
                let status = await feed.fetch()
                #expect(status.reason == reason?.description)
                #expect(status.outcome == (reason == nil ? .replaced : .rejected))
                if reason != nil {
                    #expect(feed.store.current?.summary.rows == before)
                    #expect(harness.events.withLock { $0.last?.name } == "feed_rejected")
                    #expect(harness.events.withLock { $0.last?.detail?.hasPrefix(reason?.description ?? "-") } == true)
                }
            }
            #expect(harness.files == ["house.lock", "house.sqlite", "house.status.json"])
        }
    }

    @Test("A truncated feed is rejected wherever it was cut")
    func truncated() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let whole = table(ann + bob + "3,cy@example.com,HASH,active,\"com.example.1\"\n")
            let feed = try harness.open(FeedHarness.settings + "\nlimits: {max_bad_rows: 100%, max_shrink: 100%}")
            try harness.write(whole)
            await feed.fetch()
            let last = whole.dropLast().lastIndex(of: "\n")!
            for end in whole.indices where end > last && end < whole.index(before: whole.endIndex) {
                try harness.write(String(whole[...end]))
                guard whole[...end].last != "\n" else { continue }
                let status = await feed.fetch()
                #expect(status.reason == FeedRejection.truncated.description, "\(whole[...end].suffix(20))")
            }
            #expect(try await feed.subscription("3").state == .active)
        }
    }

    @Test("Bad rows are reported by line and reason, without their contents")
    func badRows() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(
                table(
                    ann + "2,,HASH,active,\n,secret@example.com,HASH,active,\n3,x\n4,a\u{1}b@example.com,HASH,active,\n"
                ))
            let feed = try harness.open()
            await feed.fetch()
            let detail = try #require(harness.events.withLock { $0.last?.detail })
            #expect(
                detail.contains("line 3: no usable email; line 4: no usable id; line 5: expected 5 fields, found 2"))
            #expect(!detail.contains("secret") && !detail.contains("@"))
        }
    }

    @Test("Missing and duplicate columns are rejected before any row is read")
    func header() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let feed = try harness.open()
            for (text, reason) in [
                ("id,email,password,state\n1,a@b,c,active\n", FeedRejection.missingField("editions")),
                ("id,email,password,state,editions,id\n", .duplicateColumn(column: 6)),
                ("", .malformed("it is empty")),
                ("\"id,email", .malformed("its first row: a quoted field is not closed before the end of the file")),
            ] {
                try harness.write(text)
                #expect(await feed.fetch().reason == reason.description)
            }
        }
    }

    @Test("Pitfall 14: an identifier of two readers, or with two proofs, is rejected and counted")
    func ambiguous() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let other = (try PasswordHasher(cost: 1)).self
            let hash = try other.hash("other")
            try harness.write(
                table(
                    "1,two@example.com,HASH,active,\n2,two@example.com,HASH,active,\n"
                        + "3,proofs@example.com,HASH,active,\n3,proofs@example.com,\(hash),active,\n"
                        + "4,same@example.com,HASH,active,\n4,same@example.com,HASH,active,\n"
                        + "5,differs@example.com,HASH,active,\n5,differs@example.com,HASH,suspended,\n"))
            let feed = try harness.open()
            #expect(await feed.fetch().outcome == .replaced)
            #expect(feed.store.current?.summary.ambiguous == 2)
            #expect(feed.store.current?.summary.readers == 5)
            for password in ["right", "other"] {
                #expect(try await feed.authenticate("two@example.com", password) == .rejected(message: nil))
                #expect(try await feed.authenticate("proofs@example.com", password) == .rejected(message: nil))
            }
            #expect(try await feed.subscription("4").state == .active)
            await #expect(throws: MappingError.severalRecords) { try await feed.subscription("5") }
        }
    }

    @Test("With `lines: several`, several rows of a reader are several subscriptions")
    func severalLines() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(
                table(
                    "1,ann@example.com,HASH,inactive,com.example.1\n2,bob@example.com,HASH,suspended,com.example.1\n"
                        + "1,ann@example.com,,active,com.example.2\n1,ann@example.com,HASH,suspended,com.example.3\n"))
            let feed = try harness.open(FeedHarness.settings + "\nlines: several")
            await feed.fetch()
            let ann = try await feed.subscription("1")
            #expect(ann.state == .active)
            #expect(ann.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
            #expect(try await feed.subscription("2").state == .suspended)
            #expect(try await feed.authenticate("ann@example.com", "right") != .rejected(message: nil))
        }
    }

    @Test("A stale feed still serves queries and fails the health check")
    func stale() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            try FileManager.default.setAttributes(
                [.modificationDate: harness.clock.now], ofItemAtPath: folder.appending(path: "readers.csv").path)
            let feed = try harness.open()
            await feed.fetch()
            harness.clock.advance(by: 48 * 3600)
            await feed.fetch()
            try await feed.backend.health()
            harness.clock.advance(by: 1)
            // Fetching the unchanged file again does not make it newer.
            #expect(await feed.fetch().outcome == .unchanged)
            await #expect(throws: FeedUnavailable.stale(reason: nil)) { try await feed.backend.health() }
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("Pitfall 6: an unknown identifier costs the check of another reader's hash")
    func dummyHashes() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            try harness.write(table(ann))
            let feed = try harness.open()
            await feed.fetch()
            let database = try #require(feed.store.current)
            let unknown = try await database.candidate(for: "nobody@example.com")
            #expect(unknown.key == nil && unknown.proof?.value == FeedHashes.right)
            // The password of the borrowed hash is still rejected.
            #expect(try await feed.authenticate("nobody@example.com", "right") == .rejected(message: nil))
        }
    }

    @Test("Pitfall 13: spreadsheet formulas in a feed are plain text")
    func formulas() async throws {
        try await withTemporaryFolder { folder in
            let harness = FeedHarness(folder)
            let settings = FeedHarness.settings.replacing("subscription: {", with: "subscription: {message: note, ")
            let formula = "=HYPERLINK(\"\"http://x\"\")"
            try harness.write(
                "id,email,password,state,editions,note\n=1+1,@sum@example.com,\(FeedHashes.right),active,,\"\(formula)\"\n"
            )
            let feed = try harness.open(settings)
            await feed.fetch()
            #expect(
                try await feed.authenticate("@sum@example.com", "right")
                    == .authenticated(Subscriber(backend: "house", key: "=1+1")))
            #expect(try await feed.subscription("=1+1").message == "=HYPERLINK(\"http://x\")")
        }
    }
}
