import Foundation
import Primitives
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A background task that refreshes a feed while its store is the keeper. It ends when it is deallocated.
final class FeedRefresher: Sendable {
    /// The interval, in seconds, at which a store that is not the keeper checks for changes.
    private static let followInterval: TimeInterval = 1
    /// The tolerance for timestamps in the future, in seconds. A later timestamp means that the clock was set back.
    private static let clockTolerance: TimeInterval = 60

    private let task: Task<Void, Never>

    /// Starts the task.
    ///
    /// - Parameter sleep: a closure that waits for a number of seconds.
    init(_ update: FeedUpdate, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        task = Task.detached {
            var jitterShare = Self.jitterShare(update)
            let shared = update.shared.map { SharedFeed(update: update, documents: $0) }
            while !Task.isCancelled {
                if !update.store.holdsLock { await Self.onOwnThread { _ in update.store.acquireLock() } }
                guard update.store.holdsLock else {
                    guard (try? await sleep(Self.followInterval)) != nil else { return }
                    continue
                }
                if let shared {
                    if await shared.advance(jitterShare) { jitterShare = Self.jitterShare(update) }
                    guard (try? await sleep(Self.followInterval)) != nil else { return }
                    continue
                }
                let wait = Self.due(update, jitterShare).timeIntervalSince(update.clock.now)
                if wait > 0 {
                    // The task sleeps in short intervals, because a clock correction must not delay the next fetch
                    // by years.
                    guard (try? await sleep(min(wait, 60))) != nil else { return }
                } else {
                    await Self.onOwnThread { update.run(isCancelled: $0) }
                    jitterShare = Self.jitterShare(update)
                }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// Returns a random share of the jitter, from 0 to 1.
    private static func jitterShare(_ update: FeedUpdate) -> Double { Double(update.random.bytes(1).first ?? 0) / 255 }

    static func due(_ update: FeedUpdate, _ jitterShare: Double) -> Date {
        let status = update.store.status
        // With untried settings, and without a feed in force, the fetch is due immediately.
        guard status.fingerprint == update.plan.fingerprint else { return .distantPast }
        let failure = status.failures > 0 ? status.triedAt : nil
        let success = update.store.current == nil ? nil : status.succeededAt
        // A timestamp in the future means that the clock was set back since, so the time elapsed since is unknown.
        guard (failure ?? success ?? .distantPast) <= update.clock.now.addingTimeInterval(clockTolerance) else {
            return .distantPast
        }
        return update.plan.schedule.next(after: success, failure: failure, jitterShare: jitterShare)
    }

    /// Runs long blocking work on its own thread, where it delays no other task. `work` learns of the cancellation
    /// of the task.
    @discardableResult
    static func onOwnThread<Value: Sendable>(
        _ work: @escaping @Sendable (_ isCancelled: @escaping () -> Bool) -> Value
    ) async -> Value {
        let isCancelled = Flag()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    #if canImport(Glibc)
                        // On Linux, nice(2) applies to the calling thread only, so threads that serve readers have
                        // priority.
                        _ = nice(10)
                    #endif
                    continuation.resume(returning: work { isCancelled.value.load(ordering: .relaxed) })
                }
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .relaxed)
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}
