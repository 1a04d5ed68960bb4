import BackendFixtures
import Foundation
import Gatefold
import PostgreSQL
import TestSupport
import Testing

@testable import State

@Suite("A state in PostgreSQL that is opened later", .serialized) struct LaterOpeningTests {
    private func store(
        _ servers: StateServers, _ schema: PostgreSQLSchemaName, port: Int? = nil, user: String = StateServers.user
    ) throws -> SQLStateStore {
        try SQLStateStore(
            postgreSQL: try servers.settings(port: port, user: user), schema: schema, library: try LibPQ(),
            opensLater: true)
    }

    private func error(_ call: () async throws -> Void) async -> StateStoreError? {
        do {
            try await call()
            return nil
        } catch {
            return error as? StateStoreError
        }
    }

    @Test("Is unreachable without the server, and is opened by the first call when the server is there")
    func unreachable() async throws {
        try await StateServers.run { servers in
            let schema = StateServers.freshSchema()
            await servers.instance.server.stop()
            for port in [servers.instance.port, servers.bouncer] {
                let store = try store(servers, schema, port: port)
                guard case .unreachable = await error({ try await store.health() }) else {
                    Issue.record("expected an unreachable store")
                    continue
                }
                try await servers.instance.start()
                try await eventually("the store is opened", within: .seconds(20)) {
                    await error {
                        try await store.record(
                            Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
                    } == nil
                }
                #expect(try await store.history().generation.count == 16)
                await servers.instance.server.stop()
            }
        }
    }

    @Test("Cannot be opened with a wrong account, or with tables of another release")
    func rejected() async throws {
        try await StateServers.run { servers in
            let schema = StateServers.freshSchema()
            let wrong = try store(servers, schema, user: "nobody")
            guard case .cannotOpen = await error({ try await wrong.health() }) else {
                Issue.record("expected a rejected account")
                return
            }
            try await store(servers, schema).health()
            try await servers.instance.execute(
                "INSERT INTO \(schema.name).migration (number, name, checksum) VALUES (99, 'later', '')",
                database: "state")
            let older = try store(servers, schema)
            #expect(await error { try await older.health() }?.isNewerSchema == true)
        }
    }
}
