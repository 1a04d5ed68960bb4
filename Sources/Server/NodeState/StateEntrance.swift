import Foundation
import Primitives
import ServiceLifecycle
import State
import Synchronization

/// The steps with which this process begins to use its state: checks, the recording of token lifetimes, and the first
/// read of all revocations and shared facts.
///
/// They run at the start. If the store is unreachable then, they run when it is back.
final class StateEntrance: Sendable {
    private let steps: @Sendable () async throws -> Void
    private let done = Mutex(false)

    init(_ steps: @escaping @Sendable () async throws -> Void) {
        self.steps = steps
    }

    /// A Boolean value that indicates whether the steps have succeeded.
    var isDone: Bool { done.withLock(\.self) }

    /// Runs the steps unless they have succeeded before.
    func enter() async throws {
        if isDone { return }
        try await steps()
        done.withLock { $0 = true }
    }

    /// Repeats the steps until they succeed.
    ///
    /// - Parameters:
    ///   - didFail: Receives the error of each attempt.
    ///   - didEnter: Called after steps that did not succeed at the start.
    /// - Returns: False if the task was cancelled.
    func awaitEntry(didFail: (any Error) -> Void, didEnter: () -> Void) async -> Bool {
        if isDone { return true }
        while !Task.isCancelled {
            do {
                try await enter()
                didEnter()
                return true
            } catch {
                if !(error is CancellationError) { didFail(error) }
            }
            do { try await Task.sleep(for: .milliseconds(250)) } catch { break }
        }
        return false
    }
}

/// The services that work with the state once this process has entered it.
struct StateService: Service {
    let entrance: StateEntrance
    let didFail: @Sendable (any Error) -> Void
    let didEnter: @Sendable () -> Void
    let services: [any Service]
    private let failures = LogRateLimiter()

    init(
        entrance: StateEntrance, didFail: @escaping @Sendable (any Error) -> Void,
        didEnter: @escaping @Sendable () -> Void, services: [any Service]
    ) {
        self.entrance = entrance
        self.didFail = didFail
        self.didEnter = didEnter
        self.services = services
    }

    func run() async throws {
        let hasEntered = await cancelWhenGracefulShutdown {
            await entrance.awaitEntry(didFail: { if failures.admits() { didFail($0) } }, didEnter: didEnter)
        }
        guard hasEntered else { return }
        try await withThrowingDiscardingTaskGroup { group in
            for service in services { group.addTask { try await service.run() } }
        }
    }
}
