import Foundation
import Gatefold
import State
import Synchronization
import TestSupport
import Testing

@Suite("Following revocations") struct RevocationFollowerTests {
    private func holder(_ number: UInt8) -> SaltHolder {
        SaltHolder(subscriber: subscriber(number), session: SessionReference(device(1)), issuedAt: noon)
    }

    @Test("A revocation that another process records takes effect here, in its publication only")
    func acrossProcesses() async throws {
        try await withTemporaryFolder { folder in
            let server = try SQLiteStateStore(path: folder + "/state.sqlite")
            let command = try SQLiteStateStore(path: folder + "/state.sqlite")
            let known = RevocationLists()
            let lists = [known.list(for: daily), known.list(for: weekly)]
            let follower = RevocationFollower(store: server, lists: known, retention: { 3600 })
            try await follower.catchUp()
            #expect(!lists[0].isRevoked(holder(1)))
            try await command.record(Revocation(publication: daily, subscriber: subscriber(1), session: nil, at: noon))
            try await follower.catchUp()
            #expect(lists[0].isRevoked(holder(1)))
            #expect(!lists[0].isRevoked(holder(2)))
            #expect(!lists[1].isRevoked(holder(1)))
        }
    }

    @Test("The loop goes on after an outage, prunes only what is past retention, and ends when cancelled")
    func loop() async throws {
        let store = VolatileStateStore()
        let lists = RevocationLists()
        let list = lists.list(for: daily)
        let clock = ManualClock(noon)
        let rounds = Mutex(0)
        await store.record(
            Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon - 7200))
        // Within the retention: there may be something left for it to end.
        await store.record(
            Revocation(publication: daily, subscriber: subscriber(3), session: nil, before: noon - 3599))
        let follower = RevocationFollower(
            store: store, lists: lists, retention: { 3600 }, clock: clock.wall,
            sleep: {
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round == 1 {
                    await store.record(
                        Revocation(publication: daily, subscriber: subscriber(2), session: nil, at: noon))
                }
                if round == 3 { throw CancellationError() }
            })
        await follower.run()
        #expect(rounds.withLock { $0 } == 3)
        #expect(list.isRevoked(holder(2)))
        #expect(list.count == 2)
        #expect(await store.revocations(after: 0).map(\.revocation.subscriber) == [subscriber(3), subscriber(2)])
    }

    @Test("A store that can not be asked is reported, and asked again")
    func outage() async throws {
        let failures = Mutex(0)
        let rounds = Mutex(0)
        let follower = RevocationFollower(
            store: BrokenStore(), lists: RevocationLists(), retention: { 60 },
            sleep: {
                let round = rounds.withLock { rounds in
                    rounds += 1
                    return rounds
                }
                if round == 2 { throw CancellationError() }
            }, didFail: { _ in failures.withLock { $0 += 1 } })
        await follower.run()
        #expect(failures.withLock { $0 } == 2)
    }
}

/// A store that can not be asked.
private struct BrokenStore: SessionStore {
    struct Failure: Error {}

    func admit(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID,
        limit: DeviceLimit, at moment: Date
    ) async throws -> DeviceRegistration { throw Failure() }
    func devices(of subscriber: SubscriberReference, in publication: PublicationID) async throws -> [Device] {
        throw Failure()
    }
    func touch(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID, at moment: Date
    ) async throws { throw Failure() }
    func remove(
        _ device: DeviceReference, of subscriber: SubscriberReference, in publication: PublicationID
    ) async throws { throw Failure() }
    func record(_ revocation: Revocation) async throws { throw Failure() }
    func revocations(after sequence: Int64) async throws -> [RevocationRecord] { throw Failure() }
    func discardRevocations(before moment: Date) async throws { throw Failure() }
    func rememberAcquaintance(_ digest: [UInt8], at moment: Date) async throws { throw Failure() }
    func isAcquainted(_ digest: [UInt8]) async throws -> Bool { throw Failure() }
    func health() async throws { throw Failure() }
}
