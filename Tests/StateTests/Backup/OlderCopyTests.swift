import Foundation
import GRDB
import Gatefold
import TestSupport
import Testing

@testable import State

/// Pitfall 34.
@Suite("An older copy of the state in its place") struct OlderCopyTests {
    private let ended = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)

    private func holder(_ number: UInt8, issuedAt: Date) -> SaltHolder {
        SaltHolder(subscriber: subscriber(number), session: SessionReference(device(number)), issuedAt: issuedAt)
    }

    /// What a server knows that starts on the state at a moment.
    private func list(_ path: String, at moment: Date) async throws -> RevocationList {
        let store = try SQLiteStateStore(path: path, clock: WallClock { moment })
        let lists = RevocationLists()
        try await RevocationFollower(store: store, lists: lists).catchUp()
        return lists.list(for: daily)
    }

    @Test("makes no session good again that was ended since: all sign in again")
    func byHand() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLiteStateStore(path: path, clock: WallClock { noon })
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(9), session: nil, at: noon - 100))
            }
            try FileManager.default.copyItem(atPath: path, toPath: folder + "/copy")
            do {
                let store = try SQLiteStateStore(path: path, clock: WallClock { noon })
                #expect(!store.didFindOlderState)
                try await store.record(ended)
            }
            #expect(try await list(path, at: noon + 60).isRevoked(holder(1, issuedAt: noon)))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            let restored = try await list(path, at: noon + 120)
            #expect(restored.isRevoked(holder(1, issuedAt: noon)))
            // What is not known to be good is not.
            #expect(restored.isRevoked(holder(2, issuedAt: noon + 119)))
            #expect(restored.boundary(subscriber: subscriber(2), session: SessionReference(device(2))) == noon + 121)
            #expect(!restored.isRevoked(holder(2, issuedAt: noon + 121)))
            // Found once, it stays so, and is not found anew.
            let later = try await list(path, at: noon + 3600)
            #expect(later.isRevoked(holder(2, issuedAt: noon + 120)))
            #expect(!later.isRevoked(holder(2, issuedAt: noon + 121)))
        }
    }

    @Test(
        "makes no session good again that counts as issued later than now: the clock was ahead, or sessions were many",
        arguments: ["clock ahead", "many", "neither"], [false, true])
    func issuedAhead(_ what: String, isRestored: Bool) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let clock = ManualClock(noon)
            do {
                let store = try SQLiteStateStore(path: path, clock: clock.wall)
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(9), session: nil, at: noon - 100))
                _ = try StateBackup.make(of: path, to: folder + "/copy")
            }
            var issued = noon
            do {
                let store = try SQLiteStateStore(path: path, clock: clock.wall)
                switch what {
                case "clock ahead":
                    clock.step(by: 86_400)
                    _ = try await store.maintain()
                    issued = clock.now
                    clock.step(by: -86_400)
                case "many": issued = noon + 60
                default: break
                }
                // A session of a device that was used later than now ends with all that came until then.
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: issued))
                try store.pool.close()
            }
            if isRestored {
                _ = try StateRestore.make(from: folder + "/copy", to: path, at: noon + 1)
            } else {
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
                try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            }
            let restored = try await list(path, at: noon + 1)
            #expect(restored.isRevoked(holder(1, issuedAt: issued)))
            let floor = restored.boundary(subscriber: subscriber(2), session: SessionReference(device(2)))
            #expect(floor > issued && floor <= max(issued, noon + 1) + 2)
            // What is opened now counts as issued at the floor, and an older copy that comes later ends it.
            try await SQLiteStateStore(path: path, clock: clock.wall).record(
                Revocation(publication: daily, subscriber: subscriber(3), session: nil, at: noon))
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            #expect(try await list(path, at: noon + 2).isRevoked(holder(2, issuedAt: floor)))
        }
    }

    @Test("ends what the copy itself says was issued later than now")
    func issuedAheadInCopy() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do {
                let store = try SQLiteStateStore(path: path, clock: WallClock { noon })
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon + 500))
                _ = try StateBackup.make(of: path, to: folder + "/copy")
            }
            let other = folder + "/other.sqlite"
            let restore = try StateRestore.make(from: folder + "/copy", to: other, at: noon)
            #expect(restore.sessionFloor > noon + 501)
            #expect(try await list(other, at: noon).isRevoked(holder(2, issuedAt: noon + 501)))
        }
    }

    @Test(
        "is told where nothing shows the contrary", arguments: ["file lost", "state lost", "another's file", "garbage"])
    func doubt(_ what: String) async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try await SQLiteStateStore(path: path, clock: WallClock { noon }).record(ended) }
            let file = GenerationFile.path(beside: path)
            switch what {
            case "file lost": try FileManager.default.removeItem(atPath: file)
            case "state lost": try FileManager.default.removeItem(atPath: path)
            case "another's file":
                _ = try SQLiteStateStore(path: folder + "/other.sqlite")
                try FileManager.default.removeItem(atPath: file)
                try FileManager.default.copyItem(
                    atPath: GenerationFile.path(beside: folder + "/other.sqlite"), toPath: file)
            default: try Data("?".utf8).write(to: URL(fileURLWithPath: file))
            }
            #expect(try await list(path, at: noon + 60).isRevoked(holder(2, issuedAt: noon + 60)))
            #expect(try !SQLiteStateStore(path: path).didFindOlderState)
        }
    }

    @Test("is not seen in a state that several processes write to, open, close and kill")
    func undisturbed() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            let server = try SQLiteStateStore(path: path)
            for number: UInt8 in 1...20 {
                let command = try SQLiteStateStore(path: path)
                #expect(!command.didFindOlderState)
                try await (number.isMultiple(of: 2) ? server : command).record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            #expect(try await server.sessionFloor() == nil)
            try FileManager.default.removeItem(atPath: GenerationFile.path(beside: path))
            // While it is open nothing else can have taken its place, so the file is made anew.
            _ = try await server.sessionFloor()
            #expect(try !SQLiteStateStore(path: path).didFindOlderState)
        }
    }

    @Test("ends what installations and accounts linked, too")
    func links() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            do { try await SQLiteStateStore(path: path).link(buyer(1), to: buyer(2)) }
            try FileManager.default.removeItem(atPath: GenerationFile.path(beside: path))
            let store = try SQLiteStateStore(path: path)
            #expect(try await store.pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM owner_link") } == 0)
        }
    }
}
