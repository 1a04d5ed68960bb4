import Foundation
import GRDB
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

@Suite("Pitfall 31: unreadable revocation", .serialized) struct UnreadableRevocationTests {
    private struct Fixture {
        let store: SQLStateStore
        let lists = RevocationLists()
        let follower: RevocationFollower
        let queue: DatabaseQueue
        let found = Locked<[Set<Int64>]>([])

        init(_ path: String) throws {
            let reported = found
            store = try SQLStateStore(path: path)
            queue = try DatabaseQueue(path: path)
            follower = RevocationFollower(
                store: store, lists: lists, didFindUnreadable: { rows in reported.withLock { $0.append(rows) } })
        }

        func change(_ sql: String) async throws { try await queue.write { try $0.execute(sql: sql) } }

        func hasEnded(_ number: UInt8, issuedAt timestamp: Date = noon) -> Bool {
            lists.list(for: daily).isRevoked(
                SaltSubject(subscriber: subscriber(number), session: SessionPseudonym(device(9)), issuedAt: timestamp))
        }
    }

    /// Records three revocations and then changes the second one.
    private func with(_ change: String, _ test: (Fixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let fixture = try Fixture(folder + "/state.sqlite")
            for number: UInt8 in 1...3 {
                try await fixture.store.record(
                    Revocation(
                        publication: daily, subscriber: subscriber(number), session: SessionPseudonym(device(9)),
                        at: noon))
            }
            try await fixture.change(change + " WHERE sequence = 2")
            try await test(fixture)
        }
    }

    private static let unreadableOwner = [
        "UPDATE revocation SET subscriber = x'00'", "UPDATE revocation SET publication = '../x'",
    ]
    private static let unreadableRest = [
        "UPDATE revocation SET session = x'00'", "UPDATE revocation SET before = 9e999",
        "UPDATE revocation SET before = -1.0", "UPDATE revocation SET exempt_session = x'00'",
        "UPDATE revocation SET exempt_session = x'00000000'",
    ]

    @Test(
        "An unreadable revocation does not block the others, and is reported once",
        arguments: unreadableOwner + unreadableRest)
    func others(change: String) async throws {
        try await with(change) { fixture in
            for _ in 0..<3 { try await fixture.follower.catchUp() }
            #expect(fixture.hasEnded(1) && fixture.hasEnded(3))
            #expect(fixture.follower.unreadable == 1)
            #expect(fixture.found.withLock { $0 } == [[2]])
            // The same holds for revocations recorded later.
            try await fixture.store.record(
                Revocation(publication: daily, subscriber: subscriber(4), session: nil, at: noon))
            try await fixture.follower.catchUp()
            #expect(fixture.hasEnded(4))
        }
    }

    @Test("An unreadable revocation ends all existing sessions of its subscriber", arguments: unreadableRest)
    func opensNothing(change: String) async throws {
        try await with(change) { fixture in
            try await fixture.follower.catchUp()
            #expect(fixture.hasEnded(2))
            // This happens once: a reader who signs in again is not signed out every second.
            let later = fixture.lists.list(for: daily).boundary(
                subscriber: subscriber(2), session: SessionPseudonym(device(9)))
            try await fixture.follower.catchUp()
            #expect(!fixture.hasEnded(2, issuedAt: later))
        }
    }

    @Test("A revocation of all sessions of the subscriber replaces the unreadable one", arguments: unreadableRest)
    func repaired(change: String) async throws {
        try await with(change) { fixture in
            try await fixture.follower.catchUp()
            try await fixture.store.record(
                Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
            try await fixture.follower.catchUp()
            #expect(fixture.follower.unreadable == 0)
            #expect(fixture.found.withLock { $0 } == [[2], []])
            #expect(fixture.hasEnded(2))
            #expect(try await fixture.store.revocations(after: .start, limit: 99).unreadable.isEmpty)
        }
    }

    @Test("A deleted row is no longer reported", arguments: unreadableOwner)
    func deleted(change: String) async throws {
        try await with(change) { fixture in
            try await fixture.follower.catchUp()
            try await fixture.change("DELETE FROM revocation WHERE sequence = 2")
            try await fixture.follower.catchUp()
            #expect(fixture.follower.unreadable == 0)
        }
    }
}
