public import Foundation
import Gatefold
import Protections
import Synchronization

/// A clock and those who wait by it; both move only when a test says so.
public final class ManualTime: Sendable {
    private struct Sleeper {
        let id: Int
        let due: TimeInterval
        let waiter: Waiter<Void>
    }

    private struct State {
        var passed: TimeInterval = 0
        var sleepers: [Sleeper] = []
        var last = 0
    }

    public let clock = ManualClock()
    private let state = Mutex(State())

    public init() {}

    /// Waits so many seconds of this time, or throws as soon as the waiting task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void {
        { [self] seconds in
            let waiter = Waiter<Void>()
            let id = state.withLock { state in
                state.last += 1
                state.sleepers.append(Sleeper(id: state.last, due: state.passed + seconds, waiter: waiter))
                return state.last
            }
            try await waiter.wait {
                self.state.withLock { $0.sleepers.removeAll { $0.id == id } }
                waiter.tell(.failure(CancellationError()))
            }
        }
    }

    public func advance(by seconds: TimeInterval) {
        clock.advance(by: seconds)
        let due = state.withLock { state in
            state.passed += seconds
            let due = state.sleepers.filter { $0.due <= state.passed }
            state.sleepers.removeAll { $0.due <= state.passed }
            return due
        }
        for sleeper in due { sleeper.waiter.tell(.success(())) }
    }

    /// How many wait.
    public var sleeping: Int { state.withLock { $0.sleepers.count } }
}
