import Foundation
public import Gatefold
public import Primitives
import Synchronization

/// A follower that applies the facts of other processes to this process, and writes the facts of this process to
/// the store.
///
/// Call ``catchUp()`` before the first request is served, and ``run()`` for the lifetime of the server. A fact
/// reaches all other processes within two seconds: it is written within half a second, and the others poll every
/// second.
public final class SharedFactFollower: Sendable {
    /// A problem that the follower reports.
    public enum FollowerProblem: Sendable {
        case failed(any Error)
        /// Rows that this version cannot read were skipped.
        case unreadable(Int)
        /// Facts were dropped, because the store could not be reached and the limit of waiting facts was exceeded.
        case dropped(Int)
    }

    /// The maximum number of facts that a store retains. The latest facts stay.
    public static let maxFacts = 500_000
    private static let page = 2_000
    private static let pruningInterval: TimeInterval = 3600
    /// The pause between two checks of whether pruning is due.
    static let pruningPause: Duration = .seconds(60)
    /// The margin in seconds by which the clock of this process may be ahead.
    private static let margin: TimeInterval = 86_400

    private struct Position {
        var changes = ChangePosition.start
        /// Whether requests may have filled the caches of this process.
        var isServing = false
        /// The monotonic time at which this process pruned last.
        var pruned: TimeInterval?
    }

    private let store: any SharedFactStore
    private let writer: SharedFactWriter
    private let apply: @Sendable (SharedFact, _ isNew: Bool) async throws -> Void
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let report: @Sendable (FollowerProblem) -> Void
    private let position = Mutex(Position())

    /// - Parameters:
    ///   - store: The store of the facts.
    ///   - writer: The writer whose own facts are not applied again.
    ///   - clock: The source of the current time.
    ///   - sleep: Waits between two polls of the store.
    ///   - report: Receives problems. The follower continues.
    ///   - apply: Applies a fact to this process. `isNew` is true for facts that are read after the initial catch-up or
    ///     after `beginWithoutStore()`. A repeated fact must have no further effect.
    public init(
        store: any SharedFactStore, writer: SharedFactWriter, clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        report: @escaping @Sendable (FollowerProblem) -> Void = { _ in },
        apply: @escaping @Sendable (SharedFact, _ isNew: Bool) async throws -> Void
    ) {
        self.store = store
        self.writer = writer
        self.clock = clock
        self.sleep = sleep
        self.report = report
        self.apply = apply
    }

    /// Notes that this process serves requests before its initial catch-up, because the store is unreachable.
    package func beginWithoutStore() { position.withLock { $0.isServing = true } }

    /// Applies every fact that other processes recorded since the last call.
    ///
    /// - Throws: The error of the store query, or of a fact that could not be applied. The next call tries again.
    public func catchUp() async throws {
        while true {
            let (changes, isNew) = position.withLock { ($0.changes, $0.isServing) }
            let page = try await store.sharedFacts(
                after: changes, excluding: writer.origin, limit: Self.page)
            for fact in page.facts { try await apply(fact, isNew) }
            position.withLock { $0.changes = page.end }
            if page.unreadable > 0 { report(.unreadable(page.unreadable)) }
            if page.isLast {
                position.withLock { $0.isServing = true }
                return
            }
        }
    }

    /// Writes and follows until the task is cancelled, and then writes the waiting facts.
    public func run() async {
        await withTaskGroup { group in
            group.addTask { await self.again(after: SharedFactWriter.pause) { try await self.write() } }
            group.addTask { await self.again(after: .seconds(1)) { try await self.catchUp() } }
            // A deletion waits for the standby, and must not delay the facts of other nodes.
            group.addTask { await self.again(after: Self.pruningPause) { try await self.prune() } }
        }
        // An unstructured task is not cancelled together with this task.
        await Task { try? await writer.flush() }.value
    }

    private func again(after pause: Duration, _ work: () async throws -> Void) async {
        while !Task.isCancelled {
            do {
                try await work()
            } catch is CancellationError {
                return
            } catch {
                report(.failed(error))
            }
            do { try await sleep(pause) } catch { return }
        }
    }

    private func write() async throws {
        let dropped = writer.drainDroppedCount()
        if dropped > 0 { report(.dropped(dropped)) }
        try await writer.flush()
    }

    /// Prunes the store once an hour.
    private func prune() async throws {
        let elapsed = clock.elapsed
        let isDue = position.withLock { $0.pruned.map { elapsed - $0 >= Self.pruningInterval } ?? true }
        guard isDue else { return }
        try await store.discardSharedFacts(
            endedBefore: clock.now.addingTimeInterval(-Self.margin), limit: Self.maxFacts)
        position.withLock { $0.pruned = elapsed }
    }
}
