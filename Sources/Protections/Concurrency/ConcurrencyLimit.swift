import Foundation
import Synchronization

/// Lets so many questions through at once; the others wait in a queue of limited length, for a limited time.
package final class ConcurrencyLimit: Sendable {
    private struct State {
        var queue: AdmissionQueue
        var waiters: [AdmissionQueue.Place: Waiter<Void>] = [:]
        var counts = Counts()
    }

    package struct Counts: Sendable {
        package fileprivate(set) var full = 0
        package fileprivate(set) var outOfPatience = 0
    }

    private enum Entry {
        case admitted
        case waits(AdmissionQueue.Place, Waiter<Void>)
        case full
    }

    private let patience: TimeInterval
    private let sleep: Sleep
    private let state: Mutex<State>

    package init(_ settings: ConcurrencySettings, sleep: @escaping Sleep) {
        patience = settings.patience
        self.sleep = sleep
        state = Mutex(State(queue: AdmissionQueue(most: settings.most, capacity: settings.waiting)))
    }

    /// Waits for a slot, which is held until ``leave()``.
    ///
    /// - Parameter stillWanted: throws when, its turn having come, the question is better not asked; the slot is then free.
    /// - Throws: ``ProtectionError``, or `CancellationError` as soon as the asking task is cancelled.
    package func enter(_ urgency: Urgency, stillWanted: () throws -> Void = {}) async throws {
        let entry = state.withLock { state -> Entry in
            switch state.queue.enter(mayWait: urgency == .reader) {
            case .admitted: return .admitted
            case .full:
                if urgency == .reader { state.counts.full += 1 }
                return .full
            case .waits(let place):
                let waiter = Waiter<Void>()
                state.waiters[place] = waiter
                return .waits(place, waiter)
            }
        }
        switch entry {
        case .admitted: break
        case .full: throw urgency == .reader ? ProtectionError.queueFull : .busy
        case .waits(let place, let waiter):
            let timer = Task { [weak self, sleep, patience] in
                try await sleep(patience)
                self?.giveUp(place, with: ProtectionError.patienceOver)
            }
            defer { timer.cancel() }
            try await waiter.wait { giveUp(place, with: CancellationError()) }
        }
        do {
            try Task.checkCancellation()
            try stillWanted()
        } catch {
            leave()
            throw error
        }
    }

    /// Gives a slot back, to whoever waits longest.
    package func leave() {
        let next = state.withLock { state in
            state.queue.leave().flatMap { state.waiters.removeValue(forKey: $0) }
        }
        next?.tell(.success(()))
    }

    /// Slots in use, questions that wait, and what was sent away so far.
    package var load: (asking: Int, waiting: Int, counts: Counts) {
        state.withLock { ($0.queue.inUse, $0.queue.waitingCount, $0.counts) }
    }

    /// Nothing happens to one that has a slot already: it is told of that by whoever gave it.
    private func giveUp(_ place: AdmissionQueue.Place, with error: any Error) {
        let waiter = state.withLock { state -> Waiter<Void>? in
            guard state.queue.giveUp(place) else { return nil }
            if error is ProtectionError { state.counts.outOfPatience += 1 }
            return state.waiters.removeValue(forKey: place)
        }
        waiter?.tell(.failure(error))
    }
}
