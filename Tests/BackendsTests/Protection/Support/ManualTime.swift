import Foundation
import Gatefold
import Synchronization
import TestSupport

@testable import Backends

/// A clock and those who wait by it; both move only when a test says so.
final class ManualTime: Sendable {
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

    let clock = ManualClock()
    private let state = Mutex(State())

    var sleep: Sleep {
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

    func advance(by seconds: TimeInterval) {
        clock.advance(by: seconds)
        let due = state.withLock { state in
            state.passed += seconds
            let due = state.sleepers.filter { $0.due <= state.passed }
            state.sleepers.removeAll { $0.due <= state.passed }
            return due
        }
        for sleeper in due { sleeper.waiter.tell(.success(())) }
    }

    var sleeping: Int { state.withLock { $0.sleepers.count } }
}

/// Lets other tasks run until it is so. What is waited for always comes, or the test hangs and its time limit speaks.
func until(_ isSo: () -> Bool) async {
    while !isSo() { await Task.yield() }
}
