import Foundation
import Gatefold
import Protections
import Synchronization

/// What accounts were told of items, for a while; and one question for all who ask the same in the same session at the same
/// time. Another session of the account may be over, so it asks for itself.
final class ItemMemory: Sendable {
    struct Subject: Hashable, Sendable {
        let account: String
        let item: Int
    }

    /// What is known of an account's access to an item.
    struct Told: Sendable, Equatable {
        let isAccessible: Bool
        /// When that ends by itself.
        let ends: Date?
    }

    private struct Flight: Hashable {
        let session: String
        let subject: Subject
    }

    private struct Answer {
        let isAccessible: Bool
        /// By the clock that nobody sets.
        let until: TimeInterval
        /// When the access ends by itself.
        let ends: Date?
    }

    private struct State {
        var answers = BoundedMemory<Subject, Answer>(capacity: 100_000)
        var flights = Flights<Flight>()
        var waiters: [UInt64: Waiter<Bool>] = [:]
        var tasks: [UInt64: Task<Void, Never>] = [:]
    }

    /// A refusal holds no longer than this, in seconds: whoever has just bought is let in.
    static let longestRefusal: TimeInterval = 5

    private let lifetime: TimeInterval
    private let clock: WallClock
    private let state = Mutex(State())

    /// - Parameter lifetime: how long an answer holds, in seconds.
    init(lifetime: TimeInterval, clock: WallClock) {
        self.lifetime = lifetime
        self.clock = clock
    }

    /// Whether the account has access to the item.
    ///
    /// Whoever waits and goes away does not end the question for the others; when all are gone it is cancelled.
    func isAccessible(
        _ subject: Subject, session: String, _ ask: @escaping @Sendable () async throws -> Told
    ) async throws -> Bool {
        let waiter = Waiter<Bool>()
        let (asked, now) = (clock.elapsed, clock.now)
        let (known, place) = state.withLock { state -> (Bool?, Flights<Flight>.Boarding?) in
            if let answer = state.answers[subject], asked < answer.until, answer.ends.map({ now < $0 }) ?? true {
                return (answer.isAccessible, nil)
            }
            let place = state.flights.board(Flight(session: session, subject: subject))
            switch place {
            case .begins(let flight, let asker):
                state.waiters[asker] = waiter
                // Under the lock, so that it can not end before it is written down.
                state.tasks[flight] = Task { [self] in
                    do {
                        let told = try await ask()
                        land(flight, subject, told, asked: asked)
                    } catch {
                        end(flight, .failure(error))
                    }
                }
            case .joins(_, let asker):
                state.waiters[asker] = waiter
            }
            return (nil, place)
        }
        if let known { return known }
        switch place {
        case .begins(let flight, let asker), .joins(let flight, let asker):
            return try await waiter.wait { leave(flight, asker) }
        case nil: throw CancellationError()
        }
    }

    private func keep(_ told: Told, of subject: Subject, asked: TimeInterval) {
        let lifetime = told.isAccessible ? lifetime : min(lifetime, Self.longestRefusal)
        let answer = Answer(isAccessible: told.isAccessible, until: asked + lifetime, ends: told.ends)
        state.withLock { $0.answers.keep(answer, for: subject) }
    }

    private func land(_ flight: UInt64, _ subject: Subject, _ told: Told, asked: TimeInterval) {
        keep(told, of: subject, asked: asked)
        end(flight, .success(told.isAccessible))
    }

    private func end(_ flight: UInt64, _ result: Result<Bool, any Error>) {
        let waiters = state.withLock { state in
            state.tasks[flight] = nil
            return state.flights.land(flight).compactMap { state.waiters.removeValue(forKey: $0) }
        }
        for waiter in waiters { waiter.tell(result) }
    }

    private func leave(_ flight: UInt64, _ asker: UInt64) {
        let (waiter, task) = state.withLock { state in
            let isLast = state.flights.leave(flight, asker)
            return (state.waiters.removeValue(forKey: asker), isLast ? state.tasks.removeValue(forKey: flight) : nil)
        }
        task?.cancel()
        waiter?.tell(.failure(CancellationError()))
    }
}
