import Backends
import Gatefold
import Logging
import ServiceLifecycle
import State

/// What other processes on the same state learnt, brought to whatever remembers something here.
struct SharedFactReceiver: Sendable {
    let parts: LastingParts
    let publications: CurrentPublications

    /// - Parameter isNews: false at the start, when no cache has anything to forget yet.
    func receive(_ fact: SharedFact, isNews: Bool) async throws {
        // Caches first: by nothing that they knew before does a denial end.
        if isNews {
            for backend in publications.value.backends.all { (backend as? ProtectedBackend)?.follow(fact) }
        }
        parts.services.credentialFacts.follow(fact)
        parts.denials.follow(fact)
        let now = parts.services.clock.now
        for session in parts.recalled.follow(fact, at: now) {
            let revocation = Revocation(
                publication: session.publication, subscriber: session.subscriber, session: session.session,
                at: max(now, session.issuedAt))
            parts.revocations.list(for: session.publication).add(revocation)
            try await parts.state.record(revocation)
        }
    }

    static func report(_ trouble: SharedFactFollower.Trouble, to logger: Logger) {
        switch trouble {
        case .failed(let error):
            // To be interrupted is how following ends.
            if error is CancellationError { return }
            logger.error("shared facts not followed", metadata: ["cause": "\(type(of: error))"])
        case .unreadable(let count):
            logger.error("shared facts passed over that are not understood", metadata: ["count": "\(count)"])
        case .dropped(let count):
            logger.error("facts not shared with other processes: too many wait", metadata: ["count": "\(count)"])
        }
    }
}

/// Shares what this process learns, and follows what others do, until the server stops.
struct SharedFactService: Service {
    let follower: SharedFactFollower

    func run() async throws {
        await cancelWhenGracefulShutdown { await follower.run() }
    }
}
