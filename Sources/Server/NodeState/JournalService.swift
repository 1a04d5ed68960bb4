import Foundation
import Primitives
import ServiceLifecycle
import State

/// A service that writes the journal of revocations to the store, until the server stops.
struct JournalService: Service {
    /// The pause between two attempts. It is a part of the two seconds within which a revocation is in force on all
    /// nodes after the store has returned.
    private static let pause: TimeInterval = 0.25

    let needsReplay: @Sendable () -> Bool
    let replay: @Sendable () async throws -> Void
    /// Receives the error of an attempt, except that the store is unreachable, which its followers report.
    let didFail: @Sendable (any Error) -> Void
    private let sleep: Sleep
    private let failures = LogRateLimiter()

    /// - Parameters:
    ///   - needsReplay: Returns whether the journal has entries.
    ///   - replay: Writes the journal to the store.
    ///   - sleep: Waits between two attempts.
    ///   - didFail: Receives at most one error a minute.
    init(
        needsReplay: @escaping @Sendable () -> Bool, replay: @escaping @Sendable () async throws -> Void,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        didFail: @escaping @Sendable (any Error) -> Void
    ) {
        self.needsReplay = needsReplay
        self.replay = replay
        self.sleep = sleep
        self.didFail = didFail
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if needsReplay() {
                    do {
                        try await replay()
                    } catch is CancellationError {
                        return
                    } catch {
                        if !StateStoreError.isUnreachable(error), failures.admits() { didFail(error) }
                    }
                }
                do { try await sleep(Self.pause) } catch { return }
            }
        }
    }
}
