import Foundation
import Gatefold
import Logging
import Primitives
import Resilience

/// The audit log of flushes at the admin listener, which authenticates no user.
struct FlushAudit: Sendable {
    /// The maximum number of flushes of a node per minute. No entry can be deleted, so a flood of requests must not fill the
    /// state.
    static let maxPerMinute = 60

    private let trail: AuditTrail
    private let pseudonymKey: PseudonymKey
    private let logger: Logger
    private let limiter = LogRateLimiter(perMinute: FlushAudit.maxPerMinute)

    init(_ log: any AuditLog, pseudonymKey: PseudonymKey, logger: Logger) {
        self.pseudonymKey = pseudonymKey
        self.logger = logger
        trail = AuditTrail(
            log, AuditChain(pseudonymKey),
            by: AuditActor(.system, name: "admin listener@\(ProcessInfo.processInfo.hostName)"),
            didMissOutcome: { error in
                logger.error("Outcome of a flush is not in the audit log", metadata: ["cause": "\(error)"])
            })
    }

    /// Returns whether a flush may be recorded now, and counts it if so.
    func admits() -> Bool { limiter.admits() }

    /// Flushes between two entries of the audit log.
    ///
    /// If the log cannot be written, the flush is made nevertheless, because an outage of the state must not keep wrong
    /// results in the cache. The log of the server then has an error with the cause.
    ///
    /// - Parameter backends: The backend and those that it queries.
    func flushing(
        _ target: FlushTarget, of backends: [String], _ flush: () -> (removed: Int, remaining: Int)?
    ) async -> (removed: Int, remaining: Int)? {
        let backend: AuditDetails.Pairs = [("backend", backends.first)]
        do {
            return try await trail.perform(
                .backendFlush, of: subjects(target, backends), backend,
                outcome: { (flushed: (removed: Int, remaining: Int)?) -> AuditDetails.Pairs in
                    [("removed", flushed.map { String($0.removed) })]
                }
            ) { flush() }
        } catch {
            logger.error("Flush is not in the audit log", metadata: ["cause": "\(error)"])
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
