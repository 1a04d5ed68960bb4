import Foundation
public import Gatefold
import Synchronization

/// Brings what other processes learnt into this one, and what this one learns into the store.
///
/// Call ``catchUp()`` before the first request is served, and ``run()`` for as long as the server lives. What one process learns
/// is known to all others within two seconds: it is written within half a second, and looked for every second.
public final class SharedFactFollower: Sendable {
    /// Facts that cannot be used are reported.
    public enum Trouble: Sendable {
        case failed(any Error)
        /// Rows that this version does not understand were passed over.
        case unreadable(Int)
        /// More waited for a store that could not be reached than there was room for.
        case dropped(Int)
    }

    /// The most facts that a store keeps, the latest.
    public static let mostFacts = 500_000
    private static let page = 2_000
    private static let pruningInterval: TimeInterval = 3600
    /// The clock of this process may be ahead.
    private static let margin: TimeInterval = 86_400

    private struct Position {
        var sequence: Int64 = 0
        var isCaughtUp = false
        /// When this process pruned last, by the clock that nobody sets.
        var pruned: TimeInterval?
    }

    private let store: any SharedFactStore
    private let writer: SharedFactWriter
    private let apply: @Sendable (SharedFact, _ isNews: Bool) async throws -> Void
    private let clock: WallClock
    private let sleep: @Sendable (Duration) async throws -> Void
    private let report: @Sendable (Trouble) -> Void
    private let position = Mutex(Position())

    /// - Parameters:
    ///   - apply: has this process know a fact; news is what came after all that there was at the start. What it is given
    ///     twice changes nothing more.
    ///   - report: told of trouble; following goes on.
    public init(
        store: any SharedFactStore, writer: SharedFactWriter, clock: WallClock = .system,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        report: @escaping @Sendable (Trouble) -> Void = { _ in },
        apply: @escaping @Sendable (SharedFact, _ isNews: Bool) async throws -> Void
    ) {
        self.store = store
        self.writer = writer
        self.clock = clock
        self.sleep = sleep
        self.report = report
        self.apply = apply
    }

    /// Takes in everything that others recorded since the last time.
    ///
    /// - Throws: when the store could not be asked, or a fact not be applied: it is tried again the next time.
    public func catchUp() async throws {
        while true {
            let (sequence, isNews) = position.withLock { ($0.sequence, $0.isCaughtUp) }
            let page = try await store.sharedFacts(
                after: sequence, besides: writer.origin, limit: Self.page)
            for fact in page.facts { try await apply(fact, isNews) }
            position.withLock { $0.sequence = max($0.sequence, page.sequence) }
            if page.unreadable > 0 { report(.unreadable(page.unreadable)) }
            if page.next == nil {
                position.withLock { $0.isCaughtUp = true }
                return
            }
        }
    }

    /// Writes and follows until the task is cancelled, and writes what waits then.
    public func run() async {
        await withTaskGroup { group in
            group.addTask { await self.again(after: SharedFactWriter.pause) { try await self.write() } }
            group.addTask {
                await self.again(after: .seconds(1)) {
                    try await self.catchUp()
                    try await self.prune()
                }
            }
        }
        // A task of its own is not cancelled with this one.
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
        let dropped = writer.takeDropped()
        if dropped > 0 { report(.dropped(dropped)) }
        try await writer.flush()
    }

    /// Forgets in the store, once an hour.
    private func prune() async throws {
        let elapsed = clock.elapsed
        let isDue = position.withLock { $0.pruned.map { elapsed - $0 >= Self.pruningInterval } ?? true }
        guard isDue else { return }
        try await store.discardSharedFacts(
            endedBefore: clock.now.addingTimeInterval(-Self.margin), most: Self.mostFacts)
        position.withLock { $0.pruned = elapsed }
    }
}
