import Foundation
import GRDB
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Backends

@Suite("A feed of subscribers") struct FeedBackendTests {
    private func table(_ rows: String) -> String {
        "id,email,password,state,editions\n" + rows.replacing("HASH", with: FeedHashes.right)
    }

    private let ann = "1,Ann@Example.com,HASH,active,com.example.1;com.example.2\n"
    private let bob = "2,bob@example.com,,inactive,\n"

    @Test("Recognises by the proof, and tells what the line says")
    func answers() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann + bob))
            let feed = try bed.open()
            #expect(await feed.fetch().outcome == .swapped)
            #expect(
                try await feed.recognise("ann@example.com", "right")
                    == .recognised(Subscriber(backend: "house", key: "1")))
            for (email, password) in [
                ("ann@example.com", "wrong"), ("nobody@example.com", "right"), ("bob@example.com", "right"),
                ("bob@example.com", ""), ("", "right"), ("ann@example.com\u{0}", "right"),
            ] {
                #expect(try await feed.recognise(email, password) == .notRecognised(message: nil), "\(email)")
            }
            let told = try await feed.subscription("1")
            #expect(told.state == .active)
            #expect(told.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
            #expect(try await feed.subscription("2").entitlement == .nothing)
            #expect(try await feed.subscription("3") == Subscription(state: .unknown))
            #expect(try await feed.subscription("1\u{0}").state == .unknown)
            try await feed.backend.health()
        }
    }

    @Test("Pitfall 9: without a feed nobody could be asked about, and nobody is unknown")
    func noneYet() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let feed = try bed.open()
            #expect(await feed.fetch().outcome == .unreachable)
            await #expect(throws: FeedUnavailable.noneYet) { try await feed.recognise("ann@example.com", "right") }
            await #expect(throws: FeedUnavailable.noneYet) { try await feed.subscription("1") }
            await #expect(throws: FeedUnavailable.noneYet) { try await feed.backend.health() }
            try bed.write(table(ann))
            #expect(await feed.fetch().outcome == .swapped)
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("Pitfall 9: the last good feed answers while the source is gone, and after a restart")
    func restart() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            var feed = try bed.open()
            await feed.fetch()
            try FileManager.default.removeItem(at: folder.appending(path: "readers.csv"))
            for _ in 1...2 {
                let status = await feed.fetch()
                #expect(status.outcome == .unreachable && status.failures > 0)
                #expect(try await feed.subscription("1").state == .active)
                feed = try bed.open()
            }
            #expect(feed.store.status.failures == 2, "remembered over the restart")
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("What was left unfinished is cleaned up, and the files are the owner's alone")
    func cleaning() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "kept"), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try bed.write("half", to: "kept/house.part-1")
            try bed.write("other's", to: "kept/other.part-1")
            let feed = try bed.open()
            await feed.fetch()
            #expect(bed.files == ["house.lock", "house.sqlite", "house.status.json", "other.part-1"])
            let kept = folder.appending(path: "kept").path
            func mode(_ path: String) throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            }
            #expect(try mode(kept) == 0o700)
            #expect(try mode(kept + "/house.sqlite") == 0o600)
            #expect(try mode(kept + "/house.status.json") == 0o600)
        }
    }

    @Test("A broken file in force is as none, and is replaced also by the same feed again")
    func brokenFile() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            await (try bed.open()).fetch()
            try bed.write("this is no database, and long enough to look like one", to: "kept/house.sqlite")
            let feed = try bed.open()
            await #expect(throws: FeedUnavailable.noneYet) { try await feed.subscription("1") }
            #expect(await feed.fetch().outcome == .swapped)
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("A feed that was loaded under other columns is not used; other mappings need no loading")
    func otherSettings() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            await (try bed.open()).fetch()
            let renamed = FeedBed.settings.replacing("identifier: email", with: "identifier: state")
            #expect(throws: FeedUnavailable.noneYet) {
                guard try bed.open(renamed).store.current != nil else { throw FeedUnavailable.noneYet }
            }
            let mapped = FeedBed.settings.replacing(
                "state: {from: state}", with: "state: {suspended: [active], active: [x]}")
            #expect(try await bed.open(mapped).subscription("1").state == .suspended)
        }
    }

    @Test("The same file again is not loaded again")
    func unchanged() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            let feed = try bed.open()
            await feed.fetch()
            let loaded = feed.store.current?.summary.loadedAt
            bed.clock.advance(by: 3600)
            try bed.write(table(ann))
            #expect(await feed.fetch().outcome == .unchanged)
            #expect(feed.store.current?.summary.loadedAt == loaded)
            try bed.write(table(ann + bob))
            #expect(await feed.fetch().outcome == .swapped)
        }
    }

    @Test(
        "A feed that has shrunk, has too few rows or too many bad ones is refused with its reason, and one that grew is taken"
    )
    func sanity() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            func rows(_ count: Int) -> String { (1...count).map { "\($0),r\($0)@example.com,HASH,active,\n" }.joined() }
            let feed = try bed.open(
                FeedBed.settings + "\nlimits: {rows_at_least: 5, shrink_at_most: 20%, bad_rows_at_most: 10%}")
            for (text, reason) in [
                (rows(4), FeedRefusal.tooFew(rows: 4, least: 5)), (rows(100), nil),
                (rows(79), .shrunk(from: 100, to: 79)), (rows(80), nil), (rows(200), nil),
                ("", .tooFew(rows: 0, least: 5)),
                (rows(180) + String(repeating: "x\n", count: 21), .badRows(21, of: 201)),
                (rows(180) + String(repeating: "x\n", count: 20), nil),
            ] {
                let before = feed.store.current?.summary.rows
                try bed.write(table(text))
                let status = await feed.fetch()
                #expect(status.reason == reason?.description)
                #expect(status.outcome == (reason == nil ? .swapped : .refused))
                if reason != nil {
                    #expect(feed.store.current?.summary.rows == before)
                    #expect(bed.events.withLock { $0.last?.name } == "feed_refused")
                    #expect(bed.events.withLock { $0.last?.detail?.hasPrefix(reason?.description ?? "-") } == true)
                }
            }
            #expect(bed.files == ["house.lock", "house.sqlite", "house.status.json"])
        }
    }

    @Test("What was cut off is refused, wherever it was cut")
    func truncated() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let whole = table(ann + bob + "3,cy@example.com,HASH,active,\"com.example.1\"\n")
            let feed = try bed.open(FeedBed.settings + "\nlimits: {bad_rows_at_most: 100%, shrink_at_most: 100%}")
            try bed.write(whole)
            await feed.fetch()
            let last = whole.dropLast().lastIndex(of: "\n")!
            for end in whole.indices where end > last && end < whole.index(before: whole.endIndex) {
                try bed.write(String(whole[...end]))
                guard whole[...end].last != "\n" else { continue }
                let status = await feed.fetch()
                #expect(status.reason == FeedRefusal.truncated.description, "\(whole[...end].suffix(20))")
            }
            #expect(try await feed.subscription("3").state == .active)
        }
    }

    @Test("Bad rows are told by line and reason, and nothing that stands in them is")
    func badRows() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(
                table(
                    ann + "2,,HASH,active,\n,secret@example.com,HASH,active,\n3,x\n4,a\u{1}b@example.com,HASH,active,\n"
                ))
            let feed = try bed.open()
            await feed.fetch()
            let detail = try #require(bed.events.withLock { $0.last?.detail })
            #expect(
                detail.contains("line 3: no usable email; line 4: no usable id; line 5: expected 5 fields, found 2"))
            #expect(!detail.contains("secret") && !detail.contains("@"))
        }
    }

    @Test("Missing and doubled columns are refused before any row is read")
    func header() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let feed = try bed.open()
            for (text, reason) in [
                ("id,email,password,state\n1,a@b,c,active\n", FeedRefusal.missingField("editions")),
                ("id,email,password,state,editions,id\n", .twiceNamed(column: 6)),
                ("", .malformed("it is empty")),
                ("\"id,email", .malformed("its first row: a quoted field is not closed before the end of the file")),
            ] {
                try bed.write(text)
                #expect(await feed.fetch().reason == reason.description)
            }
        }
    }

    @Test("Pitfall 14: an identifier of two readers, or with two proofs, is nobody's, and is counted")
    func ambiguous() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let other = (try PasswordHasher(cost: 1)).self
            let hash = try other.hash("other")
            try bed.write(
                table(
                    "1,two@example.com,HASH,active,\n2,two@example.com,HASH,active,\n"
                        + "3,proofs@example.com,HASH,active,\n3,proofs@example.com,\(hash),active,\n"
                        + "4,same@example.com,HASH,active,\n4,same@example.com,HASH,active,\n"
                        + "5,differs@example.com,HASH,active,\n5,differs@example.com,HASH,suspended,\n"))
            let feed = try bed.open()
            #expect(await feed.fetch().outcome == .swapped)
            #expect(feed.store.current?.summary.ambiguous == 2)
            #expect(feed.store.current?.summary.readers == 5)
            for password in ["right", "other"] {
                #expect(try await feed.recognise("two@example.com", password) == .notRecognised(message: nil))
                #expect(try await feed.recognise("proofs@example.com", password) == .notRecognised(message: nil))
            }
            #expect(try await feed.subscription("4").state == .active)
            await #expect(throws: MappingError.severalRecords) { try await feed.subscription("5") }
        }
    }

    @Test("Several lines of a reader are several subscriptions")
    func severalLines() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(
                table(
                    "1,ann@example.com,HASH,inactive,com.example.1\n2,bob@example.com,HASH,suspended,com.example.1\n"
                        + "1,ann@example.com,,active,com.example.2\n1,ann@example.com,HASH,suspended,com.example.3\n"))
            let feed = try bed.open(FeedBed.settings + "\nlines: several")
            await feed.fetch()
            let ann = try await feed.subscription("1")
            #expect(ann.state == .active)
            #expect(ann.entitlement == .editions([EditionID("com.example.1")!, EditionID("com.example.2")!]))
            #expect(try await feed.subscription("2").state == .suspended)
            #expect(try await feed.recognise("ann@example.com", "right") != .notRecognised(message: nil))
        }
    }

    @Test("A feed that is not renewed is answered from, and makes the backend unwell")
    func stale() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            try FileManager.default.setAttributes(
                [.modificationDate: bed.clock.now], ofItemAtPath: folder.appending(path: "readers.csv").path)
            let feed = try bed.open()
            await feed.fetch()
            bed.clock.advance(by: 48 * 3600)
            await feed.fetch()
            try await feed.backend.health()
            bed.clock.advance(by: 1)
            // Asking again for what nobody has renewed makes it no younger.
            #expect(await feed.fetch().outcome == .unchanged)
            await #expect(throws: FeedUnavailable.stale(reason: nil)) { try await feed.backend.health() }
            #expect(try await feed.subscription("1").state == .active)
        }
    }

    @Test("Pitfall 6: an unknown identifier costs the check of somebody's own hash")
    func decoys() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            try bed.write(table(ann))
            let feed = try bed.open()
            await feed.fetch()
            let database = try #require(feed.store.current)
            let unknown = try await database.candidate(for: "nobody@example.com")
            #expect(unknown.key == nil && unknown.proof?.value == FeedHashes.right)
            // Whoever knows the borrowed proof is still nobody.
            #expect(try await feed.recognise("nobody@example.com", "right") == .notRecognised(message: nil))
        }
    }

    @Test("Pitfall 13: what a spreadsheet would run is only text")
    func formulas() async throws {
        try await withTemporaryFolder { folder in
            let bed = FeedBed(folder)
            let settings = FeedBed.settings.replacing("subscription: {", with: "subscription: {message: note, ")
            let formula = "=HYPERLINK(\"\"http://x\"\")"
            try bed.write(
                "id,email,password,state,editions,note\n=1+1,@sum@example.com,\(FeedHashes.right),active,,\"\(formula)\"\n"
            )
            let feed = try bed.open(settings)
            await feed.fetch()
            #expect(
                try await feed.recognise("@sum@example.com", "right")
                    == .recognised(Subscriber(backend: "house", key: "=1+1")))
            #expect(try await feed.subscription("=1+1").message == "=HYPERLINK(\"http://x\")")
        }
    }
}
