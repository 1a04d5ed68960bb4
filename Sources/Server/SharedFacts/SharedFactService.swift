import Backends
import Gatefold
import Logging
import Primitives
import Resilience
import ServiceLifecycle
import State

/// The receiver that applies the shared facts of other processes on the same state to the caches of this process.
struct SharedFactReceiver: Sendable {
    let parts: ServerServices
    let publications: ReloadableSnapshot

    /// - Parameter isNew: False at the start, when the caches are still empty.
    func receive(_ fact: SharedFact, isNew: Bool) async throws {
        // The caches are updated first, so that no result that they cached before ends a denial.
        if isNew {
            for backend in publications.value.backends.all { (backend as? ProtectedBackend)?.follow(fact) }
        }
        parts.services.credentialFacts.follow(fact)
        parts.denials.follow(fact)
        let now = parts.services.clock.now
        let revocations = parts.cachedSignIns.follow(fact, at: now).map { session in
            Revocation(
                publication: session.publication, subscriber: session.subscriber, session: session.session,
                at: max(now, session.issuedAt))
        }
        if revocations.isEmpty { return }
        for revocation in revocations { parts.revocations.list(for: revocation.publication).add(revocation) }
        try await parts.sessionStore.record(revocations)
    }

    static func report(_ problem: SharedFactFollower.FollowerProblem, to logger: Logger) {
        switch problem {
        case .failed(let error):
            // Cancellation is the normal end of the follower.
            if error is CancellationError { return }
            logger.error("Shared facts not read", metadata: ["cause": "\(type(of: error))"])
        case .unreadable(let count):
            logger.error("Unknown shared facts skipped", metadata: ["count": "\(count)"])
        case .dropped(let count):
            logger.error("Shared facts not published: the queue is full", metadata: ["count": "\(count)"])
        }
    }
}

/// A service that shares the facts of this process, and applies those of other processes, until the server stops.
struct SharedFactService: Service {
    let follower: SharedFactFollower

    func run() async throws {
        await cancelWhenGracefulShutdown { await follower.run() }
    }
}
