import Foundation
package import Primitives
import Synchronization

/// A limit on concurrent queries. Further queries wait in a queue of limited length, for a limited time.
package final class ConcurrencyLimit: Sendable {
    private struct State {
        var queue: AdmissionQueue
        var promises: [AdmissionQueue.Place: OneShotPromise<Void>] = [:]
        var counts = Counts()
    }

    package struct Counts: Sendable {
        package fileprivate(set) var full = 0
        package fileprivate(set) var timedOut = 0
    }

    private enum Entry {
        case admitted
        case waits(AdmissionQueue.Place, OneShotPromise<Void>)
        case full
    }

    private let queueTimeout: TimeInterval
    /// Returns the number of slots at this moment.
    private let slots: @Sendable () -> Int
    private let sleep: Sleep
    private let state: Mutex<State>

    /// - Parameter slots: Returns the number of slots at this moment; nil for the number in the settings. Call
    ///   ``release()`` after it has increased.
    package init(_ settings: ConcurrencySettings, slots: (@Sendable () -> Int)? = nil, sleep: @escaping Sleep) {
        queueTimeout = settings.queueTimeout
        let nodeLimit = settings.nodeLimit ?? .max
        self.slots = { min(slots?() ?? settings.maxConcurrent, nodeLimit) }
        self.sleep = sleep
        state = Mutex(State(queue: AdmissionQueue(maxConcurrent: 0, capacity: settings.waiting)))
    }

    /// Waits for a slot and holds it until ``leave()``.
    ///
    /// - Parameters:
    ///   - priority: The priority of the query. Only a reader's query waits for a slot.
    ///   - checkStillNeeded: Called once the slot is available. It throws if the query should no longer be sent; the
    ///     slot is then released.
    /// - Throws: ``ProtectionError``, or `CancellationError` as soon as the calling task is cancelled.
    package func enter(_ priority: Priority, checkStillNeeded: () throws -> Void = {}) async throws {
        // Slots can become free without a call of release(), such as the one that an expired share leaves.
        release()
        let entry = state.withLock { state -> Entry in
            state.queue.maxConcurrent = slots()
            switch state.queue.enter(mayWait: priority == .reader) {
            case .admitted: return .admitted
            case .full:
                if priority == .reader { state.counts.full += 1 }
                return .full
            case .waits(let place):
                let promise = OneShotPromise<Void>()
                state.promises[place] = promise
                return .waits(place, promise)
            }
        }
        switch entry {
        case .admitted: break
        case .full: throw priority == .reader ? ProtectionError.queueFull : .busy
        case .waits(let place, let promise):
            let timer = Task { [weak self, sleep, queueTimeout] in
                try await sleep(queueTimeout)
                self?.release()
                self?.cancel(place, with: ProtectionError.queueTimeout)
            }
            defer { timer.cancel() }
            try await promise.wait { cancel(place, with: CancellationError()) }
        }
        do {
            try Task.checkCancellation()
            try checkStillNeeded()
        } catch {
            leave()
            throw error
        }
    }

    /// Releases a slot to the query that has waited longest.
    package func leave() {
        let next = state.withLock { state in
            state.queue.maxConcurrent = slots()
            return state.queue.leave().flatMap { state.promises.removeValue(forKey: $0) }
        }
        next?.resolve(.success(()))
    }

    /// Passes slots that have become free to the queries that have waited longest.
    package func release() {
        let next = state.withLock { state in
            state.queue.maxConcurrent = slots()
            var promises: [OneShotPromise<Void>] = []
            while let place = state.queue.takeFree() {
                if let promise = state.promises.removeValue(forKey: place) { promises.append(promise) }
            }
            return promises
        }
        for promise in next { promise.resolve(.success(())) }
    }

    /// The number of slots at this moment.
    package var current: Int { slots() }

    /// The slots in use, the waiting queries, and the number of rejected queries so far.
    package var load: (inUse: Int, waiting: Int, counts: Counts) {
        state.withLock { ($0.queue.inUse, $0.queue.waitingCount, $0.counts) }
    }

    /// Cancels a waiting place. A place that already has a slot is unaffected, because its waiter is already
    /// resumed.
    private func cancel(_ place: AdmissionQueue.Place, with error: any Error) {
        let promise = state.withLock { state -> OneShotPromise<Void>? in
            guard state.queue.cancel(place) else { return nil }
            if error is ProtectionError { state.counts.timedOut += 1 }
            return state.promises.removeValue(forKey: place)
        }
        promise?.resolve(.failure(error))
    }
}
