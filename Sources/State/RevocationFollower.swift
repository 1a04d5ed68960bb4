public import Foundation
public import Gatefold
import Synchronization

/// A follower that applies the revocations of other processes and nodes to the lists of this process, and prunes
/// the store.
///
/// An unreadable row stops nothing: the follower applies the rest and reports the number of unreadable rows in
/// ``unreadable``.
///
/// Call ``catchUp()`` before the first request is served, and ``run()`` for the lifetime of the server.
public final class RevocationFollower: Sendable {
    private struct State {
        var position = ChangePosition.start
        /// The sequence numbers of unreadable rows.
        var unreadable: Set<Int64> = []
        /// The time at which the lists last had all revocations.
        var caughtUp = ContinuousClock.now
        /// Whether the store is being pruned.
        var isPruning = false
    }

    /// The maximum number of rows that one page loads into memory.
    private static let pageSize = 2_000
    /// The maximum number of unreadable rows that each round reads again.
    private static let maxRetries = 16

    private let store: any RevocationStore & StateRetention
    private let lists: RevocationLists
    private let readFloor: @Sendable () async throws -> Date?
    private let freshness: RevocationFreshness?
    private let sleep: @Sendable () async throws -> Void
    private let didFail: @Sendable (any Error) -> Void
    private let didFindUnreadable: @Sendable (Set<Int64>) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: The store of the revocations, with its retention.
    ///   - lists: The revocation lists, by publication.
    ///   - readFloor: Returns the time before which all sessions are ended. Default: that of the store.
    ///   - freshness: Receives the time of each successful poll.
    ///   - sleep: Waits between two polls of the store. Default: 0.5 s, so that a revocation reaches the lists within a second
    ///     even if a poll is slow.
    ///   - didFail: Receives the error when the store could not be queried. The follower continues.
    ///   - didFindUnreadable: Receives the sequence numbers of the unreadable rows whenever that set changes.
    public init(
        store: any RevocationStore & StateRetention, lists: RevocationLists,
        readFloor: (@Sendable () async throws -> Date?)? = nil, freshness: RevocationFreshness? = nil,
        sleep: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .milliseconds(500)) },
        didFail: @escaping @Sendable (any Error) -> Void = { _ in },
        didFindUnreadable: @escaping @Sendable (Set<Int64>) -> Void = { _ in }
    ) {
        self.store = store
        self.lists = lists
        self.readFloor = readFloor ?? { try await store.sessionFloor() }
        self.freshness = freshness
        self.sleep = sleep
        self.didFail = didFail
        self.didFindUnreadable = didFindUnreadable
    }

    /// The current number of unreadable rows.
    public var unreadable: Int { state.withLock { $0.unreadable.count } }

    /// The number of seconds since the lists last had all revocations.
    package var behind: TimeInterval { (.now - state.withLock(\.caughtUp)) / .seconds(1) }

    /// Applies every revocation that was recorded since the last call.
    ///
    /// - Throws: The store's error when the store could not be queried.
    public func catchUp() async throws {
        if let freshness { try await freshness.poll(poll) } else { try await poll() }
    }

    private func poll() async throws {
        let start = ContinuousClock.now
        if let floor = try await readFloor() { lists.raiseFloor(to: floor) }
        let before = state.withLock { $0 }
        var unreadable = before.unreadable
        let retries = before.unreadable.sorted().prefix(Self.maxRetries)
        if !retries.isEmpty {
            let page = try await store.revocations(numbered: Array(retries))
            apply(page, except: before.unreadable)
            unreadable.subtract(Set(retries).subtracting(page.unreadable))
        }
        var isLast = false
        while !isLast {
            let page = try await store.revocations(after: state.withLock(\.position), limit: Self.pageSize)
            apply(page, except: before.unreadable)
            unreadable.formUnion(page.unreadable)
            isLast = page.isLast
            state.withLock { $0.position = page.end }
        }
        state.withLock { state in
            state.unreadable = unreadable
            state.caughtUp = start
        }
        if unreadable != before.unreadable { didFindUnreadable(unreadable) }
    }

    /// Applies a page, except for the replacements of unreadable rows that were applied before. The replacement of an
    /// unreadable row ends all sessions up to now, so it is applied only once.
    private func apply(_ page: RevocationPage, except known: Set<Int64>) {
        let repeated = known.intersection(page.unreadable)
        for record in page.records where !repeated.contains(record.sequence) { lists.add(record) }
    }

    /// Follows the store until the task is cancelled.
    ///
    /// The store is pruned at the same time, because its writes may take longer than the pause between two polls: a
    /// standby that confirms late would otherwise delay the revocations of other nodes.
    public func run() async {
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                do {
                    try await catchUp()
                    if beginPruning() { group.addTask { await self.prune() } }
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

    /// Returns false if the store is being pruned.
    private func beginPruning() -> Bool {
        state.withLock { state in
            defer { state.isPruning = true }
            return !state.isPruning
        }
    }

    private func prune() async {
        do {
            for (publication, expiry) in try await store.maintain() {
                lists.list(for: publication).discard(expiredBy: expiry)
            }
        } catch {
            didFail(error)
        }
        state.withLock { $0.isPruning = false }
    }
}
