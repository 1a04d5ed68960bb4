import Foundation
import Primitives
import Synchronization

/// A cache of the accounts' access to items that combines concurrent queries of the same session. Another session
/// of the account queries separately because it may be over.
final class ItemAccessCache: Sendable {
    struct Subject: Hashable, Sendable {
        let account: String
        let item: Int
    }

    /// The access of an account to an item.
    struct ItemAccessResult: Sendable, Equatable {
        let isAccessible: Bool
        /// The scheduled end of the access.
        let ends: Date?
    }

    private struct Flight: Hashable {
        let session: String
        let subject: Subject
    }

    private struct CachedAccess {
        let isAccessible: Bool
        /// The end of the cached result on the monotonic clock.
        let until: TimeInterval
        /// The scheduled end of the access.
        let ends: Date?
    }

    private struct State {
        var results = BoundedCache<Subject, CachedAccess>(capacity: 100_000)
        var singleFlight = SingleFlight<Flight>()
        var promises: [UInt64: OneShotPromise<Bool>] = [:]
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    /// The maximum time in seconds for which a denial is cached, so that a reader gets access soon after a
    /// purchase.
    static let maxDenialLifetime: TimeInterval = 5

    private let lifetime: TimeInterval
    private let clock: WallClock
    private let state = Mutex(State())

    /// Creates an empty cache.
    ///
    /// - Parameter lifetime: The lifetime of a result in seconds.
    init(lifetime: TimeInterval, clock: WallClock) {
        self.lifetime = lifetime
        self.clock = clock
    }

    /// Returns whether the account has access to the item.
    ///
    /// A caller that leaves does not end the query for the others. The query is cancelled when all callers have
    /// left.
    func isAccessible(
        _ subject: Subject, session: String, _ operation: @escaping @Sendable () async throws -> ItemAccessResult
    ) async throws -> Bool {
        let promise = OneShotPromise<Bool>()
        let (queried, now) = (clock.elapsed, clock.now)
        let (known, place) = state.withLock { state -> (Bool?, SingleFlight<Flight>.JoinResult?) in
            if let result = state.results[subject], queried < result.until, result.ends.map({ now < $0 }) ?? true {
                return (result.isAccessible, nil)
            }
            let place = state.singleFlight.join(Flight(session: session, subject: subject))
            switch place {
            case .begins(let flight, let participant):
                state.promises[participant] = promise
                // The task starts under the lock so that it cannot end before it is recorded.
                state.tasks[flight] = Task { [self] in
                    do {
                        let reported = try await operation()
                        complete(flight, subject, reported, queried: queried)
                    } catch {
                        end(flight, .failure(error))
                    }
                }
            case .joins(_, let participant):
                state.promises[participant] = promise
            }
            return (nil, place)
        }
        if let known { return known }
        switch place {
        case .begins(let flight, let participant), .joins(let flight, let participant):
            return try await promise.wait { leave(flight, participant) }
        case nil: throw CancellationError()
        }
    }

    private func store(_ reported: ItemAccessResult, of subject: Subject, queried: TimeInterval) {
        let lifetime = reported.isAccessible ? lifetime : min(lifetime, Self.maxDenialLifetime)
        let result = CachedAccess(isAccessible: reported.isAccessible, until: queried + lifetime, ends: reported.ends)
        state.withLock { $0.results.insert(result, for: subject) }
    }

    private func complete(_ flight: UInt64, _ subject: Subject, _ reported: ItemAccessResult, queried: TimeInterval) {
        store(reported, of: subject, queried: queried)
        end(flight, .success(reported.isAccessible))
    }

    private func end(_ flight: UInt64, _ result: Result<Bool, any Error>) {
        let promises = state.withLock { state in
            state.tasks[flight] = nil
            return state.singleFlight.complete(flight).compactMap { state.promises.removeValue(forKey: $0) }
        }
        for promise in promises { promise.resolve(result) }
    }

    private func leave(_ flight: UInt64, _ participant: UInt64) {
        let (promise, task) = state.withLock { state in
            let isLast = state.singleFlight.leave(flight, participant)
            return (
                state.promises.removeValue(forKey: participant), isLast ? state.tasks.removeValue(forKey: flight) : nil
            )
        }
        task?.cancel()
        promise?.resolve(.failure(CancellationError()))
    }
}
