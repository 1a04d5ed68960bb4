import Foundation
import GRDB
import Gatefold
import Testing

@testable import State

@Suite("A state whose files go while it is open") struct RemovedFileTests {
    enum Loss: String, CaseIterable {
        case deleted, replaced, movedAway

        func befall(_ path: String) throws {
            let manager = FileManager.default
            switch self {
            case .deleted:
                try manager.removeItem(atPath: path)
            case .replaced:
                try manager.copyItem(atPath: path, toPath: path + ".copy")
                #expect(rename(path + ".copy", path) == 0)
            case .movedAway:
                try manager.moveItem(atPath: path, toPath: path + ".away")
            }
        }
    }

    private let ending = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)

    @Test(
        "acknowledges nothing that would not be found again, and is not healthy", arguments: ["", "-wal", "-shm"],
        Loss.allCases)
    func loss(suffix: String, loss: Loss) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            try await store.record(Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
            try await store.health()
            try loss.befall(path + suffix)
            await #expect(throws: (any Error).self) { try await store.record(ending) }
            await #expect(throws: (any Error).self) {
                _ = try await store.admit(
                    device(1), of: subscriber(1), in: daily, limit: DeviceLimit(most: 1, excess: .refuse), at: noon)
            }
            await #expect(throws: (any Error).self) { try await store.rememberAcquaintance([1], of: [1]) }
            await #expect(throws: (any Error).self) { try await store.keep(.sample(), at: noon) }
            await #expect(throws: (any Error).self) { try await store.health() }
        }
    }

    @Test(
        "acknowledges nothing once its WAL was cut, from the first write on, and is not healthy",
        arguments: [0, 1, 32, 4_096, 20_000])
    func cut(size: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            for number: UInt8 in 2...9 {
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            #expect(truncate(path + "-wal", size) == 0)
            await #expect(throws: (any Error).self) { try await store.record(ending) }
            await #expect(throws: (any Error).self) { try await store.rememberAcquaintance([1], of: [1]) }
            await #expect(throws: (any Error).self) { try await store.keep(.sample(), at: noon) }
            await #expect(throws: (any Error).self) { try await store.health() }
            await #expect(throws: (any Error).self) { try await store.record(ending) }
        }
    }

    @Test("goes on after a checkpoint that empties its WAL, also one by another program")
    func checkpoint() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            let other = try DatabaseQueue(path: path)
            for number: UInt8 in 1...20 {
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
                if number.isMultiple(of: 3) {
                    try await other.writeWithoutTransaction { db in
                        try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
                    }
                }
                try await store.health()
            }
            #expect(try await store.revocations(after: 0).count == 20)
        }
    }

    @Test(
        "takes no more writes once it was read as no database or a damaged one, although its own pages may be whole",
        arguments: [ResultCode.SQLITE_NOTADB, .SQLITE_CORRUPT])
    func damaged(code: ResultCode) async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLiteStateStore(path: folder + "/state.sqlite")
            try await store.record(ending)
            await #expect(throws: DatabaseError.self) {
                _ = try await store.pool.read { _ -> Int in throw DatabaseError(resultCode: code) }
            }
            await #expect(throws: (any Error).self) { try await store.record(ending) }
            await #expect(throws: (any Error).self) { try await store.health() }
        }
    }

    @Test("is not followed any more: what others revoke is written to the file in its place")
    func following() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            let follower = RevocationFollower(store: store, lists: RevocationLists())
            try await follower.catchUp()
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: (any Error).self) { try await follower.catchUp() }
        }
    }

    @Test("is found behind a symbolic link, and not behind one that points elsewhere since")
    func link() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/state.sqlite")
            try Data().write(to: URL(fileURLWithPath: folder + "/state.sqlite"))
            let store = try SQLiteStateStore(path: path)
            try await store.record(ending)
            try await store.health()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/other.sqlite")
            await #expect(throws: (any Error).self) { try await store.record(ending) }
        }
    }

    @Test("goes on beside other connections that come and go")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLiteStateStore(path: path)
            for number: UInt8 in 1...5 {
                do {
                    let other = try SQLiteStateStore(path: path)
                    try await other.record(
                        Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
                }
                try await store.health()
                try await store.record(
                    Revocation(publication: weekly, subscriber: subscriber(number), session: nil, at: noon))
            }
            #expect(try await store.revocations(after: 0).count == 10)
        }
    }
}
