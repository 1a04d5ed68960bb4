public import Foundation
import Primitives
import Synchronization

/// A clock and its sleeping tasks, which only a test advances.
public final class ManualTime: Sendable {
    private struct Sleeper {
        let id: Int
        let due: TimeInterval
        let promise: OneShotPromise<Void>
    }

    private struct State {
        var passed: TimeInterval = 0
        var sleepers: [Sleeper] = []
        var last = 0
    }

    public let clock = ManualClock()
    private let state = Mutex(State())

    public init() {}

    /// Sleeps for a number of seconds of this clock, or throws as soon as the task is cancelled.
    public var sleep: @Sendable (TimeInterval) async throws -> Void {
        { [self] seconds in
            let promise = OneShotPromise<Void>()
            let id = state.withLock { state in
                state.last += 1
                state.sleepers.append(Sleeper(id: state.last, due: state.passed + seconds, promise: promise))
                return state.last
            }
            try await promise.wait {
                self.state.withLock { $0.sleepers.removeAll { $0.id == id } }
                promise.resolve(.failure(CancellationError()))
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
        for sleeper in due { sleeper.promise.resolve(.success(())) }
    }

    /// The number of sleeping tasks.
    public var sleeping: Int { state.withLock { $0.sleepers.count } }
}
