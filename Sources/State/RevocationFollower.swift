public import Gatefold
import Synchronization

/// Brings revocations that other processes and nodes record into this one's memory, and has the store forget those of no use
/// any more.
///
/// A row that can not be read stops nothing: the rest is applied, and ``unreadable`` says that there is one.
///
/// Call ``catchUp()`` before the first request is served, and ``run()`` for as long as the server lives.
public final class RevocationFollower: Sendable {
    private struct State {
        var sequence: Int64 = 0
        /// Sequence numbers of rows that could not be read.
        var unreadable: Set<Int64> = []
    }

    /// As many rows are in memory at once, beside what they become.
    private static let pageSize = 2_000
    /// As many unreadable rows are looked at again each time.
    private static let mostLooks = 16

    private let store: any SessionStore
    private let lists: RevocationLists
    private let sleep: @Sendable () async throws -> Void
    private let didFail: @Sendable (any Error) -> Void
    private let didFindUnreadable: @Sendable (Set<Int64>) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - lists: where they go, by publication.
    ///   - sleep: waits between two looks into the store, a second unless said.
    ///   - didFail: told when the store could not be asked; following goes on.
    ///   - didFindUnreadable: told the sequence numbers of rows that can not be read whenever they become others.
    public init(
        store: any SessionStore, lists: RevocationLists,
        sleep: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) },
        didFail: @escaping @Sendable (any Error) -> Void = { _ in },
        didFindUnreadable: @escaping @Sendable (Set<Int64>) -> Void = { _ in }
    ) {
        self.store = store
        self.lists = lists
        self.sleep = sleep
        self.didFail = didFail
        self.didFindUnreadable = didFindUnreadable
    }

    /// How many rows can not be read at present.
    public var unreadable: Int { state.withLock { $0.unreadable.count } }

    /// Takes in everything recorded since the last time.
    ///
    /// - Throws: when the store could not be asked.
    public func catchUp() async throws {
        if let floor = try await store.sessionFloor() { lists.raiseFloor(to: floor) }
        let before = state.withLock { $0 }
        var unreadable = before.unreadable
        for sequence in before.unreadable.sorted().prefix(Self.mostLooks) {
            let page = try await store.revocations(after: sequence - 1, limit: 1)
            // What stands in for one ends sessions up to now: once, not again and again.
            if page.unreadable.contains(sequence) { continue }
            apply(page.records)
            unreadable.remove(sequence)
        }
        var next: Int64? = before.sequence
        while let after = next {
            let page = try await store.revocations(after: after, limit: Self.pageSize)
            apply(page.records)
            unreadable.formUnion(page.unreadable)
            next = page.next
            let last = (page.records.map(\.sequence) + page.unreadable).max() ?? after
            state.withLock { $0.sequence = max($0.sequence, last) }
        }
        state.withLock { $0.unreadable = unreadable }
        if unreadable != before.unreadable { didFindUnreadable(unreadable) }
    }

    private func apply(_ records: [RevocationRecord]) {
        for record in records { lists.add(record) }
    }

    /// Follows the store until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await catchUp()
                for (publication, expiry) in try await store.maintain() {
                    lists.list(for: publication).discard(expiredBy: expiry)
                }
            } catch {
                didFail(error)
            }
            do {
                try await sleep()
            } catch {
                return
            }
        }
    }
}
