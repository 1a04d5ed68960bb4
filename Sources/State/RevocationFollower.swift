public import Foundation
public import Gatefold
import Synchronization

/// Brings revocations that other processes and nodes record into this one's memory, and forgets those of no use any more.
///
/// Call ``catchUp()`` before the first request is served, and ``run()`` for as long as the server lives.
public final class RevocationFollower: Sendable {
    private let store: any SessionStore
    private let lists: RevocationLists
    private let retention: @Sendable () -> TimeInterval
    private let clock: WallClock
    private let sleep: @Sendable () async throws -> Void
    private let didFail: @Sendable (any Error) -> Void
    private let position = Mutex(Position())

    private struct Position {
        var sequence: Int64 = 0
        var pruned = Date.distantPast
    }

    private static let pruningInterval: TimeInterval = 3600

    /// - Parameters:
    ///   - lists: where they go, by publication.
    ///   - retention: in seconds, at least the longest time a token or a sealed salt of any publication can be used, the
    ///     renewal window included: a revocation older than that ends nothing that has not ended by itself.
    ///   - sleep: waits between two looks into the store, a second unless said.
    ///   - didFail: told when the store could not be asked; following goes on.
    public init(
        store: any SessionStore, lists: RevocationLists, retention: @escaping @Sendable () -> TimeInterval,
        clock: WallClock = .system,
        sleep: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(1)) },
        didFail: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.store = store
        self.lists = lists
        self.retention = retention
        self.clock = clock
        self.sleep = sleep
        self.didFail = didFail
    }

    /// Takes in everything recorded since the last time.
    ///
    /// - Throws: when the store could not be asked.
    public func catchUp() async throws {
        if let floor = try await store.sessionFloor() { lists.raiseFloor(to: floor) }
        let after = position.withLock(\.sequence)
        let records = try await store.revocations(after: after)
        for record in records {
            lists.add(record.revocation)
        }
        if let last = records.last {
            position.withLock { $0.sequence = max($0.sequence, last.sequence) }
        }
    }

    /// Follows the store until the task is cancelled.
    public func run() async {
        while !Task.isCancelled {
            do {
                try await catchUp()
                try await prune()
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

    /// Forgets, here and in the store, once an hour.
    private func prune() async throws {
        let now = clock.now
        let isDue = position.withLock { $0.pruned.addingTimeInterval(Self.pruningInterval) <= now }
        guard isDue else { return }
        let oldest = now.addingTimeInterval(-retention())
        try await store.discardRevocations(before: oldest)
        lists.all.forEach { $0.discard(before: oldest) }
        position.withLock { $0.pruned = now }
    }
}
