import Foundation
import Gatefold
import Logging
import Resilience
import State

/// The audit log of flushes.
struct FlushAudit: Sendable {
    private let pseudonymKey: PseudonymKey
    private let logger: Logger

    init(pseudonymKey: PseudonymKey, logger: Logger) {
        self.pseudonymKey = pseudonymKey
        self.logger = logger
    }

    /// Flushes between two entries of the audit log.
    ///
    /// If the state is unavailable, the flush is made nevertheless, because an outage must not keep wrong results in the cache.
    /// The log of the server then has an error with the cause and the user.
    ///
    /// - Parameters:
    ///   - backends: The backend and those that it queries.
    ///   - trail: The audit log with the user.
    /// - Throws: Each other error of the audit log. Nothing is flushed then.
    func flushing(
        _ target: FlushTarget, of backends: [String], _ trail: AuditTrail,
        _ flush: () -> (removed: Int, remaining: Int)?
    ) async throws -> (removed: Int, remaining: Int)? {
        let backend: AuditDetails.Pairs = [("backend", backends.first)]
        do {
            return try await trail.perform(
                .backendFlush, of: subjects(target, backends), backend,
                outcome: { (flushed: (removed: Int, remaining: Int)?) -> AuditDetails.Pairs in
                    [("removed", flushed.map { String($0.removed) })]
                }
            ) { flush() }
        } catch let error where StateStoreError.isOutage(error) {
            logger.error(
                "Flush is not in the audit log",
                metadata: ["cause": "\(StateHealth.cause(error))", "actor": "\(trail.actor.name)"])
            return flush()
        }
    }

    private func subjects(_ target: FlushTarget, _ backends: [String]) -> [AuditSubject] {
        switch target {
        case .identifier(let identifier): [.identifier(identifier, pseudonymKey)]
        // A reader has the pseudonym of the backend that authenticated them, such as a member of a chain.
        case .key(let key): AuditSubject.subscribers(with: key, of: backends, pseudonymKey)
        case .reference(let pseudonym): [.subscriber(pseudonym)]
        case .all: backends.prefix(1).map { .backend($0) }
        }
    }
}
