import Foundation
import Primitives
import Synchronization

/// A cache of the revocation status of certificate chains. Concurrent callers for the same chain share one query.
final class OCSPStatusCache: Sendable {
    enum OCSPStatus: Sendable, Equatable {
        case holds
        case revoked
        /// No responder returned a usable response.
        case unknown

        /// The lifetime in seconds. The status `holds` has the same lifetime as in Apple's own library. The other
        /// statuses are cached for 60 s, so that a failing responder and its waiting callers are spared a query for
        /// every signature.
        fileprivate var lifetime: TimeInterval { self == .holds ? 15 * 60 : 60 }
    }

    private struct State {
        var learned: [[UInt8]: (status: OCSPStatus, fetchedAt: Date)] = [:]
        var promises: [[UInt8]: [OneShotPromise<OCSPStatus>]] = [:]
    }

    private enum Turn {
        case known(OCSPStatus)
        case startsQuery
        case waits
    }

    private static let maxCached = 64

    private let state = Mutex(State())

    /// Returns the status of a chain, from the cache or from a query.
    ///
    /// - Parameter fetch: The query. It must end within seconds on its own, because no waiting caller cancels it.
    /// - Throws: `CancellationError`.
    func status(
        of chain: [UInt8], at timestamp: Date, fetch: @escaping @Sendable () async -> OCSPStatus
    ) async throws -> OCSPStatus {
        let promise = OneShotPromise<OCSPStatus>()
        let turn = state.withLock { state -> Turn in
            if let learned = state.learned[chain],
                (0..<learned.status.lifetime).contains(timestamp.timeIntervalSince(learned.fetchedAt))
            {
                return .known(learned.status)
            }
            let isFirst = state.promises[chain] == nil
            state.promises[chain, default: []].append(promise)
            return isFirst ? .startsQuery : .waits
        }
        switch turn {
        case .known(let status): return status
        case .startsQuery: Task { complete(chain, await fetch(), at: timestamp) }
        case .waits: break
        }
        return try await promise.wait { promise.resolve(.failure(CancellationError())) }
    }

    private func complete(_ chain: [UInt8], _ status: OCSPStatus, at timestamp: Date) {
        let promises = state.withLock { state in
            if state.learned.count >= Self.maxCached { state.learned.removeAll() }
            state.learned[chain] = (status, timestamp)
            return state.promises.removeValue(forKey: chain) ?? []
        }
        for promise in promises { promise.resolve(.success(status)) }
    }
}
