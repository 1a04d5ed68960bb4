import Foundation
import Gatefold
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Keeps a feed up to date for as long as it is kept itself, while nobody else does.
final class FeedRefresher: Sendable {
    /// Until a store that somebody else keeps is looked at again, in seconds.
    private static let following: TimeInterval = 1
    /// Only a moment further ahead than this, in seconds, is of a clock that was set back.
    private static let disorder: TimeInterval = 60

    private let task: Task<Void, Never>

    /// - Parameter sleep: waits so many seconds.
    init(_ update: FeedUpdate, sleep: @escaping @Sendable (TimeInterval) async throws -> Void) {
        task = Task.detached {
            var chance = Self.chance(update)
            while !Task.isCancelled {
                if !update.store.isKeeper { await Self.inOwnThread { _ in update.store.keep() } }
                guard update.store.isKeeper else {
                    guard (try? await sleep(Self.following)) != nil else { return }
                    continue
                }
                let wait = Self.due(update, chance).timeIntervalSince(update.clock.now)
                if wait > 0 {
                    // In pieces: a clock that was put right must not put the next fetch off by years.
                    guard (try? await sleep(min(wait, 60))) != nil else { return }
                } else {
                    await Self.inOwnThread { update.run(isCancelled: $0) }
                    chance = Self.chance(update)
                }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// From 0 to 1.
    private static func chance(_ update: FeedUpdate) -> Double { Double(update.random.bytes(1).first ?? 0) / 255 }

    private static func due(_ update: FeedUpdate, _ chance: Double) -> Date {
        let status = update.store.status
        // Under settings that were not tried yet, and without a feed to answer from, at once.
        guard status.fingerprint == update.plan.fingerprint else { return .distantPast }
        let failure = status.failures > 0 ? status.triedAt : nil
        let success = update.store.current == nil ? nil : status.succeededAt
        // Of one that lies ahead the clock was set back since: how long ago it was is then unknown.
        guard (failure ?? success ?? .distantPast) <= update.clock.now.addingTimeInterval(disorder) else {
            return .distantPast
        }
        return update.plan.schedule.next(after: success, failure: failure, chance: chance)
    }

    /// Runs long blocking work where it keeps nobody waiting; tells it when the task is cancelled.
    static func inOwnThread(_ work: @escaping @Sendable (_ isCancelled: @escaping () -> Bool) -> Void) async {
        let isCancelled = Flag()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    #if canImport(Glibc)
                        // On Linux it is for the calling thread alone: whoever answers readers goes first.
                        _ = nice(10)
                    #endif
                    work { isCancelled.value.load(ordering: .relaxed) }
                    continuation.resume()
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
