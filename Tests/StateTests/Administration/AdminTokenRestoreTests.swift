import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import SQLAccess
import TestSupport
import Testing

@testable import State

/// Tests Pitfall 34 for admin tokens.
@Suite("Admin tokens of an older state", .stateServers) struct AdminTokenRestoreTests {
    /// Checks that a state has neither the token nor the outcome of a change.
    private func expectNothing(_ store: SQLStateStore, _ token: AdminTokenRecord) async throws {
        #expect(try await store.adminToken(withDigest: token.digest) == nil)
        #expect(try await store.adminTokens().isEmpty)
        #expect(try await !store.revokeAdminToken(token.id, at: noon))
        #expect(try await begin(store, lease: 9) == .started(firstAttempt: noon))
        // A new one can be created.
        let new = try AdminTokenConformance.token(2)
        try await store.create(new)
        #expect(try await store.adminToken(withDigest: new.digest) == new)
    }

    private func begin(_ store: SQLStateStore, lease: UInt8) async throws -> AdminOutcomeStart {
        try await store.begin([1], request: [1], lease: [lease], at: noon, lifetime: 1_000, leaseTime: 60)
    }

    /// Creates a token, and the outcome of a change.
    private func create(_ store: SQLStateStore) async throws -> AdminTokenRecord {
        let token = try AdminTokenConformance.token(1)
        try await store.create(token)
        _ = try await begin(store, lease: 1)
        try await store.finish([1], lease: [1], AdminOutcome(status: 200, body: []))
        return token
    }

    @Test("A restore of a file accepts no token of the backup, because it may have been revoked since")
    func restored() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            var store = try SQLStateStore(path: path)
            let token = try await create(store)
            _ = try StateBackup.make(of: path, to: folder + "/backup")
            #expect(try await store.revokeAdminToken(token.id, at: noon))
            try store.close()
            _ = try StateRestore.make(from: folder + "/backup", to: path, at: noon)
            store = try SQLStateStore(path: path)
            try await expectNothing(store, token)
        }
    }

    @Test("An older copy that lacks only the revocation of a token is noticed, and accepts none")
    func olderCopy() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let path = folder + "/state.sqlite"
            var store = try SQLStateStore(path: path)
            let token = try await create(store)
            try store.close()
            try FileManager.default.copyItem(atPath: path, toPath: folder + "/copy")
            store = try SQLStateStore(path: path)
            #expect(!store.didFindOlderState)
            #expect(try await store.revokeAdminToken(token.id, at: noon))
            try store.close()
            for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            try FileManager.default.copyItem(atPath: folder + "/copy", toPath: path)
            store = try SQLStateStore(path: path)
            #expect(store.didFindOlderState)
            try await expectNothing(store, token)
        }
    }

    @Test("A revocation of a reader after that of a token has a number of its own")
    func numbers() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let store = try SQLStateStore(path: folder + "/state.sqlite")
            let token = try await create(store)
            #expect(try await store.revokeAdminToken(token.id, at: noon))
            let ended = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)
            try await store.record(ended)
            let records = try await store.revocations(after: 0)
            #expect(records.map(\.revocation) == [ended] && records.map(\.sequence) == [2])
        }
    }

    @Test("A restore of a shared state accepts no token")
    func shared() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let servers = try #require(StateServers.current)
            let store = try SQLStateStore(
                postgreSQL: try servers.settings(), schema: StateServers.freshSchema(), library: try LibPQ())
            let token = try await create(store)
            _ = try await SharedStateBackup.make(of: store, to: folder + "/backup", didProgress: { _ in })
            _ = try await SharedStateRestore.make(
                from: folder + "/backup", to: store, folder: folder, didProgress: { _ in })
            try await expectNothing(store, token)
        }
    }

    @Test("The end of all sessions accepts no token", arguments: TestedStore<any StateStore>.durable { $0 })
    func ended(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            let store = try #require(stores[0] as? SQLStateStore)
            let token = try await create(store)
            _ = try await store.endAllSessions()
            try await expectNothing(store, token)
        }
    }

    @Test(
        "A restore by an older release, which does not know the tables, accepts no token",
        arguments: TestedStore<any StateStore>.durable { $0 })
    func olderRelease(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            let store = try #require(stores[0] as? SQLStateStore)
            let token = try await create(store)
            try await store.database.write { db in
                _ = try db.execute("UPDATE generation SET id = ?", [StateGeneration.newID()])
            }
            try await expectNothing(store, token)
        }
    }

    @Test("Old outcomes are deleted")
    func retention() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let clock = ManualClock(noon)
            let store = try SQLStateStore(path: folder + "/state.sqlite", clock: clock.wall)
            _ = try await create(store)
            clock.step(by: AdminOutcome.lifetime + 1)
            _ = try await store.maintain()
            #expect(try await store.database.read { try $0.count("SELECT count(*) FROM admin_outcome") } == 0)
        }
    }

    @Test("Links and sessions are deleted a month after their end, and tokens of the API never")
    func endedSignIns() async throws {
        try await withTemporaryFolder { (folder: String) async throws in
            let clock = ManualClock(noon)
            let store = try SQLStateStore(path: folder + "/state.sqlite", clock: clock.wall)
            for (number, kind) in AdminTokenKind.allCases.enumerated() {
                for (offset, expires) in [noon, noon + 86_400].enumerated() {
                    try await store.create(
                        AdminTokenRecord(
                            id: AdminTokenRecord.newID(of: kind),
                            digest: [UInt8](repeating: UInt8(number * 2 + offset), count: 32),
                            name: try #require(AdminTokenName("ada")), scope: AdminScope(.viewer), created: noon,
                            expires: expires))
                }
            }
            clock.step(by: 30 * 86_400 + 1)
            _ = try await store.maintain()
            let kinds = try await store.adminTokens().map(\.kind)
            #expect(kinds.count { $0 == .api } == 2 && kinds.count == 4)
        }
    }
}
