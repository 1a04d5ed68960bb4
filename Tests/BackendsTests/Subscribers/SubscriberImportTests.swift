import CSV
import Foundation
import GRDB
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

@testable import Backends
@testable import PasswordHashing
@testable import SQLAccess

@Suite("Subscriber import", .registryServers, .subscriberStores) struct SubscriberImportTests {
    private static let hash = ForeignHash.all[0].hash

    @Test("All or nothing: one bad row prevents all changes, and every bad row is reported")
    func allOrNothing() async throws {
        let fixture = try Fixture()
        let report = try await fixture.load(
            """
            identifier,state,periods,editions,categories,password_hash
            good,,,,,
            ,,,,,
            a,nonsense,,,,
            b,,2026-13-01/,,,
            c,,2026-02-01/2026-01-01,,,
            d,,,with space,,
            e,,,,no equals sign,
            f,,,,,plain
            GOOD,,,,,
            h,
            i,"a"b,,,,
            last,active,,,,
            """)
        #expect(!report.isCommitted)
        #expect(report.rows == 12)
        #expect(report.badRows == 10)
        #expect(report.added == 0)
        #expect(
            report.issues.map { "\($0.line) \($0.column ?? "-")" } == [
                "3 identifier", "4 state", "5 periods", "6 periods", "7 editions", "8 categories", "9 password_hash",
                "10 identifier", "11 -", "12 -",
            ])
        #expect(report.issues.allSatisfy { !$0.description.contains("nonsense") && !$0.description.contains("plain") })
        #expect(try await fixture.database.list(limit: 9).isEmpty)
    }

    @Test("A hash in the column of plain passwords is a bad row", arguments: ForeignHash.all)
    func hashAmongPasswords(foreign: ForeignHash) async throws {
        let fixture = try Fixture()
        let report = try await fixture.load("identifier,password\na,\"\(foreign.hash)\"\nb,$1$ick\n")
        #expect(
            report.issues.map(\.description) == [
                "line 2, column password: this is a hash; expected it in a column password_hash"
            ])
    }

    @Test("Bad rows beyond the limit of reported issues are counted")
    func manyIssues() async throws {
        let fixture = try Fixture()
        let rows = String(repeating: ",x\n", count: 50)
        let report = try await fixture.load("identifier,state\n" + rows, SubscriberImport.Options(maxIssues: 5))
        #expect(report.badRows == 50)
        #expect(report.issues.count == 5)
    }

    @Test("A row replaces the columns of the file only")
    func replacing() async throws {
        let fixture = try Fixture()
        try await fixture.load(
            "identifier,password_hash,editions,periods,categories\na,\(Self.hash),e1;e2,2026-01-01/,s=v\nb,,e1,,\n")
        let first = try #require(try await fixture.database.find("a"))
        let report = try await fixture.load("identifier,editions\nA,e3\n")
        #expect(report.added == 0)
        #expect(report.replaced == 1)
        let second = try #require(try await fixture.database.find("a"))
        #expect(second.id == first.id)
        #expect(second.editions.map(\.rawValue) == ["e3"])
        #expect(second.passwordHash == Self.hash)
        #expect(second.periods == first.periods)
        #expect(second.categories == [UserInfoCategory(scheme: "s", value: "v")])
        #expect(try await fixture.database.find("b")?.editions.count == 1)
    }

    @Test("Replacing removes readers that are missing from the file, with all their data")
    func removing() async throws {
        let fixture = try Fixture()
        try await fixture.load("identifier,editions\na,e1\nb,e1\nc,e1\n")
        let report = try await fixture.load(
            "identifier,editions\nb,e2\nd,e2\n", SubscriberImport.Options(isReplacing: true))
        #expect(report.added == 1 && report.replaced == 1 && report.removed == 2)
        #expect(try await fixture.database.list(limit: 9).map(\.identifier) == ["b", "d"])
        let editions = try await fixture.database.store.read { try $0.allTexts("SELECT edition FROM edition") }
        #expect(editions == ["e2", "e2"])
        #expect(try await fixture.exported().split(separator: "\r\n").count == 3)
        await #expect(throws: ImportError.nothingToReplaceWith) {
            try await fixture.load("identifier,editions\n", SubscriberImport.Options(isReplacing: true))
        }
        let bad = SubscriberImport.Options(mode: .resumable(), isReplacing: true)
        let careful = try await fixture.load("identifier,editions\nb,e2\nd,not good\n", bad)
        #expect(careful.didSkipRemoval && careful.removed == 0)
        #expect(try await fixture.database.list(limit: 9).count == 2)
    }

    @Test("Resumable: an interrupted import continues after its last checkpoint and skips bad rows")
    func resuming() async throws {
        struct PowerCut: Error {}
        let fixture = try Fixture()
        // The file is longer than the piece that is read at once.
        var text = "identifier,state,message\n"
        let message = String(repeating: "m", count: 150)
        for number in 0..<3_000 { text += (number % 100 == 99 ? "," : "reader-\(number),active") + ",\(message)\n" }
        let path = try fixture.file(text)
        let work = SubscriberImport(
            into: fixture.database, hasher: fixture.hasher,
            options: SubscriberImport.Options(mode: .resumable(batch: 700)))
        await #expect(throws: PowerCut.self) {
            try await work.run(file: path) { if $0.bytes < $0.totalBytes ?? 0 { throw PowerCut() } }
        }
        let stored = try await fixture.database.counts().values.reduce(0, +)
        #expect(stored > 0 && stored < 2_970)
        let report = try await work.run(file: path)
        #expect(report.resumedAfter > 0 && report.resumedAfter % (fixture.isFile ? 700 : 100) == 0)
        #expect(report.resumedAfter + report.rows == 3_000)
        #expect(report.added == 2_970 - stored)
        #expect(report.isCommitted)
        #expect(report.badRows == 30 - report.resumedAfter / 100)
        #expect(try await fixture.database.counts()[.active] == 2_970)
        // After completion, the same file is a new import.
        let again = try await work.run(file: path)
        #expect(again.resumedAfter == 0 && again.replaced == 2_970)
    }

    @Test("All or nothing: an interruption undoes the import")
    func interrupted() async throws {
        struct PowerCut: Error {}
        let fixture = try Fixture()
        let path = try fixture.file("identifier\na\n")
        await #expect(throws: PowerCut.self) {
            try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: path) { _ in
                throw PowerCut()
            }
        }
        #expect(try await fixture.database.find("a") == nil)
        try await fixture.load("identifier\nb\n")
        #expect(try await fixture.database.list(limit: 9).map(\.identifier) == ["b"])
    }

    @Test("A cancelled import changes nothing and leaves the database usable", arguments: [1, 200_000])
    func cancelled(rows: Int) async throws {
        let fixture = try Fixture()
        let path = try fixture.file("identifier\nfirst\n" + String(repeating: "first\n", count: rows))
        let running = Mutex<Task<ImportReport, any Error>?>(nil)
        let task = Task {
            try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: path) { _ in
                while running.withLock({ $0 == nil }) {}
                running.withLock { $0?.cancel() }
            }
        }
        running.withLock { $0 = task }
        await #expect(throws: (any Error).self) { try await task.value }
        #expect(try await fixture.database.list(limit: 9).isEmpty)
        #expect(try await fixture.load("identifier\nfirst\n").added == 1)
    }

    @Test("Plain passwords are hashed, slowly or keyed, and never reach the disk in plain text")
    func passwords() async throws {
        let marker = "marker-5f1e7c"
        for form in SubscriberImport.PasswordFormat.allCases {
            let fixture = try Fixture()
            var text = "identifier,password\n"
            for number in 0..<300 { text += "reader-\(number),\(marker)\(number)\n" }
            let path = try fixture.file(text)
            let options = SubscriberImport.Options(passwordFormat: form)
            let report = try await SubscriberImport(into: fixture.database, hasher: fixture.hasher, options: options)
                .run(file: path)
            #expect(report.added == 300 && report.isCommitted)
            try FileManager.default.removeItem(atPath: path)
            let stored = try #require(try await fixture.database.find("reader-299")?.passwordHash)
            #expect(PasswordScheme(of: stored) == (form == .slow ? .yescrypt : .keyed))
            guard case .right = try fixture.hasher.check(marker + "299", against: stored) else {
                Issue.record("the imported password is rejected")
                return
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder) {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.folder + "/" + name))
                #expect(bytes.range(of: Data(marker.utf8)) == nil, "\(name)")
            }
        }
    }

    @Test(
        "An invalid header changes nothing and is reported with the expected columns",
        arguments: [
            ("", ImportError.noHeader), ("state\n", .missingColumn("identifier")),
            ("identifier,state,STATE\n", .repeatedColumn("STATE")),
            ("identifier,password,password_hash\n", .twoPasswordColumns),
        ])
    func headers(text: String, expected: ImportError) async throws {
        let fixture = try Fixture()
        await #expect(throws: expected) { try await fixture.load(text) }
        #expect(!expected.description.isEmpty)
    }

    @Test("An unknown column, a bad header row and a missing file are errors")
    func unusableFiles() async throws {
        let fixture = try Fixture()
        for text in ["identifier,colour\n", "identifier,\"sta\"te\n"] {
            await #expect(throws: ImportError.self) { try await fixture.load(text) }
        }
        for path in [fixture.folder, fixture.folder + "/none.csv"] {
            await #expect(throws: ImportError.self) {
                try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: path)
            }
        }
    }

    @Test("Pitfall 13: an export neutralises formulas, and its import restores the same subscribers")
    func roundTrip() async throws {
        let fixture = try Fixture()
        try await fixture.load(
            #"""
            identifier,state,message,all_editions,periods,editions,categories,password_hash
            =cmd(),active,@hello,yes,2026-01-01/2026-12-31;2027-01-01T10:00:00Z/,e.2;e.1,,\#(Self.hash)
            -1,suspended,"two
            lines, ""quoted""",no,2026-01-01T00:00:00.5+02:00/2026-05-05T23:59:59.999Z,,a\;b\=c=d\\;x=y=z,
            '+,,,,,,,
            """#)
        let text = try await fixture.exported()
        #expect(!text.contains("\n=") && !text.contains("\n-") && !text.contains("\n+") && !text.contains(",@"))
        #expect(text.contains("2026-01-01/2026-12-31;2027-01-01T10:00:00.000Z/"))
        let other = try Fixture()
        #expect(try await other.load(text).added == 3)
        let before = try await fixture.database.list(limit: 9)
        let after = try await other.database.list(limit: 9)
        #expect(before == after)
        #expect(
            before[1].categories == [
                UserInfoCategory(scheme: "a;b=c", value: "d\\"), UserInfoCategory(scheme: "x", value: "y=z"),
            ])
        #expect(try await other.exported() == text)
    }

    @Test(
        "Periods are days in UTC or instants",
        arguments: [
            ("2026-01-01/2026-12-31", 1_767_225_600.0, 1_798_761_599.999),
            ("2026-01-01/", 1_767_225_600, nil),
            ("2026-01-01T02:00:00+02:00/2026-01-01T00:00:00.25Z", 1_767_225_600, 1_767_225_600.25),
            ("2024-02-29/2024-02-29", 1_709_164_800, 1_709_251_199.999),
            ("1969-12-31/1970-01-01", -86_400, 86_399.999),
        ] as [(String, Double, Double?)])
    func periods(text: String, start: Double, end: Double?) {
        let period = PeriodFormat.read(text[...])
        #expect(period?.start == Date(timeIntervalSince1970: start))
        #expect(period?.end == end.map { Date(timeIntervalSince1970: $0) })
        #expect(period.map { PeriodFormat.read(PeriodFormat.write($0)[...]) } == period)
    }

    @Test(
        "An invalid period is rejected",
        arguments: [
            "", "/", "2026-01-01", "2026-1-1/", "2026-02-30/", "2025-02-29/", "2026-01-01/2025-01-01", "0000-01-01/",
            "2026-01-01T24:00:00Z/", "2026-01-01T00:00:00/", "2026-01-01/2026-01-02/", "2026-01-01T00:00:00.Z/", "x/y",
        ])
    func noPeriods(text: String) {
        #expect(PeriodFormat.read(text[...]) == nil)
    }

    @Test("Periods with the same start are merged into the longest")
    func mergedPeriods() async throws {
        let fixture = try Fixture()
        try await fixture.load("identifier,periods\na,2026-01-01/2026-02-01;2026-01-01/;2026-01-01/2026-03-01\n")
        let period = try #require(try await fixture.database.find("a")?.periods.first)
        #expect(period.end == nil)
    }

    @Test("10,000 random rows neither crash the mapper nor yield values that the database rejects")
    func hostileRows() throws {
        var random = SeededRandom(seed: 4)
        let columns = try ImportColumns(
            header: ["identifier", "state", "message", "periods", "editions", "categories", "password_hash"],
            identifierName: "identifier")
        for _ in 0..<10_000 {
            let fields = (0..<7).map { column in
                random.next() % 4 == 0 || column == 0
                    ? String(
                        decoding: random.hostileBytes(upTo: 12, specialCharacters: "2026-01-/;=\\$a"), as: UTF8.self)
                    : ""
            }
            guard let row = try? ImportRow(CSVRow(line: 1, fields: fields), columns: columns, foldsProof: false) else {
                continue
            }
            let texts = [row.identifier, row.message ?? ""] + row.categories.flatMap { [$0.scheme, $0.value] }
            guard !row.identifier.isEmpty, texts.allSatisfy({ !$0.utf8.contains(0) }) else {
                Issue.record("accepted \(fields)")
                return
            }
        }
    }

    @Test("Progress reports bytes and rows up to the end")
    func progress() async throws {
        let fixture = try Fixture()
        let text = "identifier\n" + (0..<1000).map { "reader-\($0)\n" }.joined()
        let last = Mutex<ImportProgress?>(nil)
        _ = try await SubscriberImport(into: fixture.database, hasher: fixture.hasher).run(file: try fixture.file(text))
        {
            step in
            last.withLock { $0 = step }
        }
        #expect(
            last.withLock { $0 }
                == ImportProgress(bytes: text.utf8.count, totalBytes: text.utf8.count, rows: 1000, badRows: 0))
    }

    @Test("The database files are readable by their owner only, and every commit is flushed to disk")
    func careful() async throws {
        let fixture = try Fixture()
        guard let store = fixture.database.store as? SQLiteSubscriberStore else { return }
        try await fixture.load("identifier\na\n")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        where name.hasPrefix("subscribers.sqlite") {
            let attributes = try FileManager.default.attributesOfItem(atPath: fixture.folder + "/" + name)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
        }
        let full = try await store.pool.writeWithoutTransaction { db in
            try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        #expect(full == 2)
    }
}
