import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import PostgreSQL
@testable import State

@Suite("Pitfall 30: commits of long transactions without a response") struct LateCommitTests {
    /// A server that loses the connection at a commit, and is then away for a time.
    private struct Server: PostgreSQLSessions, PostgreSQLSession {
        let clock: ManualClock
        /// The time for which the server is away.
        let absence: TimeInterval
        let end = Locked<TimeInterval>(0)

        var waitingCount: Int { 0 }
        var isInTransaction: Bool { false }

        func withSession<Value: Sendable>(
            _ work: @escaping @Sendable (any PostgreSQLSession) throws -> Value
        ) async throws -> Value {
            if clock.wall.elapsed < end.withLock(\.self) { throw PostgreSQLError.couldNotConnect(.unreachable) }
            return try work(self)
        }

        func query(
            _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits
        ) -> PostgreSQLRows {
            if sql.contains("checksum") {
                return PostgreSQLRows(
                    rows: PostgreSQLStateSchema.migrations.map { [String($0.number), $0.checksum, $0.name] })
            }
            return PostgreSQLRows(rows: [["t"]])
        }

        func script(_ sql: String, _ limits: PostgreSQLConnection.Limits) -> PostgreSQLRows {
            PostgreSQLRows(rows: [[String(clock.now.timeIntervalSince1970)]])
        }

        func change(
            _ sql: String, _ values: [String?], _ limits: PostgreSQLConnection.Limits, cancels: Bool
        ) throws(PostgreSQLError) -> Int? {
            // The token was written by the transaction.
            guard sql == "COMMIT" else { return 0 }
            end.withLock { $0 = clock.wall.elapsed + absence }
            throw .lost
        }
    }

    /// Makes a change that takes a minute, on a server that is away for a time after its commit.
    private func change(absence: TimeInterval) async throws -> Int {
        let clock = ManualClock(noon)
        let schema = try #require(PostgreSQLSchemaName("gatefold"))
        let database = PostgreSQLStateDatabase(
            Server(clock: clock, absence: absence), schema: schema, statementTimeout: .seconds(600),
            responseTimeout: .seconds(601), clock: DatabaseClock(machine: clock.wall),
            preparation: PostgreSQLPreparation(schema: schema, migrates: false),
            sleep: { clock.advance(by: $0) })
        return try await database.write(.statements) { _ in
            clock.advance(by: 60)
            return 7
        }
    }

    @Test("The outcome is looked up when the server is back")
    func found() async throws { #expect(try await change(absence: 5) == 7) }

    @Test("An outcome that cannot be looked up is reported as unknown")
    func unknown() async throws {
        let error = await #expect(throws: StateStoreError.self) { try await change(absence: 60) }
        #expect(error?.description.contains("whether the change was made is unknown") == true)
    }
}
