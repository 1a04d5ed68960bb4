import BackendFixtures
import Commerce
import Foundation
import Gatefold
import PostgreSQL
import Primitives
import TestSupport
import Testing

@testable import State

@Suite("Pitfall 30: commits without a response", .stateServers) struct CommitOutcomeTests {
    /// Passes a store whose connections pass through a proxy.
    private func withProxy(_ test: (SQLStateStore, FaultProxy) async throws -> Void) async throws {
        let servers = try #require(StateServers.current)
        try await withFaultProxy(to: servers.instance.port) { proxy in
            try await test(
                try SQLStateStore(
                    postgreSQL: try servers.settings(port: proxy.port, statementTimeout: 3),
                    schema: StateServers.freshSchema(),
                    library: try LibPQ()),
                proxy)
        }
    }

    private func event(_ number: Int) -> StoreEvent {
        StoreEvent(store: appStore, id: "event \(number)", name: "TEST", signed: noon, transactions: [])
    }

    @Test("Every change takes effect once if each response to a commit is lost")
    func lostResponses() async throws {
        try await withProxy { store, proxy in
            try await proxy.set(.resetAfter("COMMIT\0"))
            for number in 0..<100 {
                let accepted = try await store.takeLease("task \(number)", owner: [1], for: 3_600)
                #expect(accepted)
                let event = event(number)
                let isNew = try await store.take(event, at: noon)
                #expect(isNew)
                let session = SessionPseudonym(bytes: [0, 0, 0, UInt8(number)])!
                try await store.record(
                    Revocation(publication: daily, subscriber: subscriber(1), session: session, at: noon))
            }
            try await proxy.set(.none)
            for number in 0..<100 {
                let event = event(number)
                #expect(try await !store.take(event, at: noon))
                #expect(try await !store.takeLease("task \(number)", owner: [2], for: 3_600))
            }
        }
    }

    @Test("A store whose server stops says so, and works again when the server is back")
    func outage() async throws {
        try await withProxy { store, proxy in
            try await store.health()
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon)
            try await store.record(revocation)
            try await proxy.set(.reject)
            await #expect(throws: StateStoreError.self) { try await store.health() }
            await #expect(throws: StateStoreError.self) { try await store.revocations(after: .start, limit: 9) }
            let other = Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon)
            await #expect(throws: StateStoreError.self) { try await store.record(other) }
            try await proxy.set(.none)
            #expect(try await eventually(within: .seconds(2)) { (try? await store.health()) != nil })
            try await store.record(other)
            #expect(try await store.revocations(after: 0).map(\.revocation) == [revocation, other])
        }
    }

    @Test("A server that does not respond delays a call no longer than the time limit")
    func stall() async throws {
        try await withProxy { store, proxy in
            try await store.health()
            try await proxy.set(.stall)
            let start = ContinuousClock.now
            await #expect(throws: StateStoreError.self) { try await store.revocations(after: .start, limit: 9) }
            // The statement timeout of 3 s, 1 s for its message, and 3 s for a new connection.
            #expect(ContinuousClock.now - start < .seconds(12))
            // The next call does not wait again.
            let second = ContinuousClock.now
            await #expect(throws: StateStoreError.self) { try await store.revocations(after: .start, limit: 9) }
            #expect(ContinuousClock.now - second < .seconds(1))
            try await proxy.set(.none)
        }
    }
}
