import Foundation
import GRDB
import Gatefold
import Primitives
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("State backup") struct StateBackupTests {
    private func makeRevocation(_ number: UInt8) -> Revocation {
        Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon)
    }

    @Test("Holds all acknowledged writes of a running server and is readable by its owner only")
    func online() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            for number: UInt8 in 1...4 { try await store.record(makeRevocation(number)) }
            let backup = try StateBackup.make(of: folder + "/state.sqlite", to: folder + "/backup")
            try await store.record(makeRevocation(5))
            #expect(backup.revocations == 4)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/backup")
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int == backup.size)
            #expect(try StateBackup.verify(folder + "/backup") == backup)
            #expect(throws: StateBackupError.fileExists(path: folder + "/backup")) {
                try StateBackup.make(of: folder + "/state.sqlite", to: folder + "/backup")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.hasSuffix(".part") })
        }
    }

    @Test("A restore returns the backed-up data and ends all earlier sessions")
    func restore() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLStateStore(path: path, clock: WallClock { noon })
                try await store.record(makeRevocation(1))
                _ = try await store.open(buyer(1))
                _ = try StateBackup.make(of: path, to: folder + "/backup")
                try await store.record(makeRevocation(2))
                try store.close()
            }
            let restore = try StateRestore.make(from: folder + "/backup", to: path, at: noon + 100.5)
            #expect(restore.sessionFloor == noon + 101)
            let store = try SQLStateStore(path: path, clock: WallClock { noon })
            #expect(!store.didFindOlderState)
            #expect(try await store.sessionFloor() == noon + 101)
            #expect(try await store.revocations(after: 0).map(\.revocation) == [makeRevocation(1)])
            #expect(try await store.accounts(in: daily, after: 0, limit: 9).count == 1)
            try await store.health()
            // The former state is retained, and is detected as older if it comes back.
            let former = try #require(restore.formerState)
            #expect(try StateBackup.verify(former).revocations == 2)
            try store.close()
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try FileManager.default.copyItem(atPath: former, toPath: path)
            #expect(try SQLStateStore(path: path, clock: WallClock { noon }).didFindOlderState)
        }
    }

    @Test("A restore removes the copies of restores that were killed, and none that another one uses")
    func killed() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            _ = try StateBackup.make(of: path, to: folder + "/backup")
            try store.close()
            for name in ["restoring-killed", "restoring-used"] {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: false)
                try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/\(name)/state.sqlite"))
            }
            let used = open(folder + "/restoring-used", O_RDONLY | O_DIRECTORY)
            defer { close(used) }
            #expect(flock(used, LOCK_EX | LOCK_NB) == 0)
            _ = try StateRestore.make(from: folder + "/backup", to: path, at: noon)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.filter { $0.hasPrefix("restoring") } == ["restoring-used"])
        }
    }

    @Test("Rejects a restore under an open state, and a restore from a file that is not a state")
    func rejections() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            try await store.record(makeRevocation(1))
            _ = try StateBackup.make(of: path, to: folder + "/backup")
            #expect(throws: StateBackupError.self) {
                try StateRestore.make(from: folder + "/backup", to: path, at: noon)
            }
            try await store.health()
            try store.close()
            try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: folder + "/garbage"))
            _ = try await DatabaseQueue(path: folder + "/other").write { try $0.execute(sql: "CREATE TABLE a (b)") }
            for name in ["garbage", "other", "missing"] {
                #expect(throws: StateBackupError.self, "\(name)") {
                    try StateRestore.make(from: "\(folder)/\(name)", to: path, at: noon)
                }
            }
            let again = try SQLStateStore(path: path)
            #expect(try await again.revocations(after: 0).count == 1)
            #expect(try await again.sessionFloor() == nil)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(!names.contains { $0.contains("restoring") })
        }
    }

    @Test("A restore replaces an unreadable or a missing state")
    func broken() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLStateStore(path: path, clock: WallClock { noon })
                try await store.record(makeRevocation(1))
                _ = try StateBackup.make(of: path, to: folder + "/backup")
                try store.close()
            }
            try Data(repeating: 7, count: 50_000).write(to: URL(fileURLWithPath: path))
            _ = try StateRestore.make(from: folder + "/backup", to: path, at: noon)
            #expect(try await SQLStateStore(path: path, clock: WallClock { noon }).revocations(after: 0).count == 1)
            let elsewhere = folder + "/new/folder/state.sqlite"
            #expect(try StateRestore.make(from: folder + "/backup", to: elsewhere, at: noon).formerState == nil)
            #expect(try await SQLStateStore(path: elsewhere, clock: WallClock { noon }).sessionFloor() == noon + 2)
        }
    }

    @Test("A copy of the database file alone lacks the data in the WAL")
    func copyOfTheFile() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            for number: UInt8 in 1...4 { try await store.record(makeRevocation(number)) }
            try FileManager.default.copyItem(atPath: path, toPath: folder + "/copy")
            let stored = try await DatabaseQueue(path: folder + "/copy").read { db in
                try db.tableExists("revocation") ? try Int.fetchOne(db, sql: "SELECT count(*) FROM revocation") : 0
            }
            #expect(stored == 0)
        }
    }
}
