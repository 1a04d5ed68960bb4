import Commerce
import Foundation
import GRDB
import Gatefold
import SQLAccess
import TestSupport
import Testing

@testable import State

@Suite("Removed files of an open state") struct RemovedFileTests {
    enum Loss: String, CaseIterable {
        case deleted, replaced, movedAway

        func apply(_ path: String) throws {
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

    private let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)

    @Test(
        "Acknowledges no write that would be lost, and reports itself unhealthy", arguments: ["", "-wal", "-shm"],
        Loss.allCases)
    func loss(suffix: String, loss: Loss) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            try await store.record(Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
            try await store.health()
            try loss.apply(path + suffix)
            await #expect(throws: (any Error).self) { try await store.record(revocation) }
            await #expect(throws: (any Error).self) {
                _ = try await store.admit(
                    device(1), of: subscriber(1), in: daily, limit: DeviceLimit(maxDevices: 1, onLimit: .reject),
                    at: noon)
            }
            await #expect(throws: (any Error).self) { try await store.recordKnownDevice([1], of: [1]) }
            await #expect(throws: (any Error).self) { try await store.persist(.sample(), at: noon) }
            await #expect(throws: (any Error).self) { try await store.health() }
        }
    }

    @Test(
        "Acknowledges no write after its WAL was truncated, and reports itself unhealthy",
        arguments: [0, 1, 32, 4_096, 20_000])
    func cut(size: Int) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            for number: UInt8 in 2...9 {
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(number), session: nil, at: noon))
            }
            #expect(truncate(path + "-wal", size) == 0)
            await #expect(throws: (any Error).self) { try await store.record(revocation) }
            await #expect(throws: (any Error).self) { try await store.recordKnownDevice([1], of: [1]) }
            await #expect(throws: (any Error).self) { try await store.persist(.sample(), at: noon) }
            await #expect(throws: (any Error).self) { try await store.health() }
            await #expect(throws: (any Error).self) { try await store.record(revocation) }
        }
    }

    @Test("Continues after a checkpoint that empties its WAL, even by another program")
    func checkpoint() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
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
        "Accepts no writes after a read error that indicates a damaged database",
        arguments: [ResultCode.SQLITE_NOTADB, .SQLITE_CORRUPT])
    func damaged(code: ResultCode) async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            try await store.record(revocation)
            await #expect(throws: DatabaseError.self) {
                _ = try await store.pool.read { _ -> Int in throw DatabaseError(resultCode: code) }
            }
            await #expect(throws: (any Error).self) { try await store.record(revocation) }
            await #expect(throws: (any Error).self) { try await store.health() }
        }
    }

    @Test("The follower fails, because other processes revoke in the file that replaced it")
    func following() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            let follower = RevocationFollower(store: store, lists: RevocationLists())
            try await follower.catchUp()
            try FileManager.default.removeItem(atPath: path)
            await #expect(throws: (any Error).self) { try await follower.catchUp() }
        }
    }

    @Test("Works behind a symbolic link, but not after the link changes its target")
    func link() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/link.sqlite"
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/state.sqlite")
            try Data().write(to: URL(fileURLWithPath: folder + "/state.sqlite"))
            let store = try SQLStateStore(path: path)
            try await store.record(revocation)
            try await store.health()
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder + "/other.sqlite")
            await #expect(throws: (any Error).self) { try await store.record(revocation) }
        }
    }

    @Test("Continues while other connections open and close")
    func others() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let store = try SQLStateStore(path: path)
            for number: UInt8 in 1...5 {
                do {
                    let other = try SQLStateStore(path: path)
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
