import Foundation
import Gatefold
import Protections
import Synchronization

/// How the last question went, so that health need not be asked for while readers ask anyway.
final class Pulse: Sendable {
    private struct State {
        var last: (failed: Bool, at: TimeInterval)?
        var deadlinesExceeded = 0
    }

    /// For so many seconds the outcome of a question says how the backend is.
    static let validity: TimeInterval = 5

    private let clock: WallClock
    private let state = Mutex(State())

    init(clock: WallClock) {
        self.clock = clock
    }

    /// Takes note of how a question goes.
    func feeling<Word>(_ ask: () async throws -> Word) async throws -> Word {
        do {
            let word = try await ask()
            note(failed: false)
            return word
        } catch {
            if Failing.isBackends(error) { note(failed: true) }
            if let error = error as? ProtectionError, [.deadlineExceeded, .passwordOverdue].contains(error) {
                state.withLock { $0.deadlinesExceeded += 1 }
            }
            throw error
        }
    }

    /// Nil when the last question was too long ago to tell.
    var hasFailedLately: Bool? {
        state.withLock { state in
            let now = clock.elapsed
            return state.last.flatMap { now - $0.at < Self.validity ? $0.failed : nil }
        }
    }

    var status: (lastFailed: Bool?, deadlinesExceeded: Int) {
        state.withLock { ($0.last?.failed, $0.deadlinesExceeded) }
    }

    private func note(failed: Bool) {
        state.withLock { $0.last = (failed, clock.elapsed) }
    }
}
