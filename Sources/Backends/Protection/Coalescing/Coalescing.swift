import Protections
import Synchronization

/// Asks one question for all who ask the same at the same time.
///
/// An asker that goes away does not end it for the others; when all are gone it is cancelled.
final class Coalescing: Sendable {
    private struct Key: Hashable, Sendable {
        let question: QuestionKey
        /// A question that gives way to readers is not one that a reader can wait for.
        let urgency: Urgency
    }

    private struct State {
        var flights = Flights<Key>()
        var waiters: [UInt64: Waiter<Told>] = [:]
        var tasks: [UInt64: Task<Void, Never>] = [:]
        var shared = 0
    }

    private let state = Mutex(State())

    func share(
        _ question: QuestionKey, _ urgency: Urgency, _ ask: @escaping @Sendable () async throws -> Told
    ) async throws -> Told {
        let waiter = Waiter<Told>()
        let boarding = state.withLock { state in
            let boarding = state.flights.board(Key(question: question, urgency: urgency))
            switch boarding {
            case .begins(let flight, let asker):
                state.waiters[asker] = waiter
                // Under the lock, so that it can not end before it is written down.
                state.tasks[flight] = Task { [self] in
                    do { land(flight, .success(try await ask())) } catch { land(flight, .failure(error)) }
                }
            case .joins(_, let asker):
                state.waiters[asker] = waiter
                state.shared += 1
            }
            return boarding
        }
        switch boarding {
        case .begins(let flight, let asker), .joins(let flight, let asker):
            return try await waiter.wait { leave(flight, asker) }
        }
    }

    /// How often an answer was shared.
    var shared: Int { state.withLock(\.shared) }

    /// Whoever asks from now on begins anew.
    func closeDoors() {
        state.withLock { $0.flights.closeDoors() }
    }

    private func land(_ flight: UInt64, _ result: Result<Told, any Error>) {
        let waiters = state.withLock { state in
            state.tasks[flight] = nil
            return state.flights.land(flight).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.tell(result) }
    }

    private func leave(_ flight: UInt64, _ asker: UInt64) {
        let (waiter, task) = state.withLock { state in
            let isLast = state.flights.leave(flight, asker)
            return (
                state.waiters.removeValue(forKey: asker), isLast ? state.tasks.removeValue(forKey: flight) : nil
            )
        }
        task?.cancel()
        waiter?.tell(.failure(CancellationError()))
    }
}
