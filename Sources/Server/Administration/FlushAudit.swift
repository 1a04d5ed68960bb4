import Foundation
import Gatefold
import Logging
import Resilience

/// The audit log of flushes at the admin listener, which authenticates no user.
struct FlushAudit: Sendable {
    fileprivate let trail: AuditTrail
    private let pseudonymKey: PseudonymKey

    init(_ log: any AuditLog, pseudonymKey: PseudonymKey, logger: Logger) {
        self.pseudonymKey = pseudonymKey
        trail = AuditTrail(
            log, AuditChain(pseudonymKey),
            by: AuditActor(.system, name: "admin listener@\(ProcessInfo.processInfo.hostName)"),
            didMissOutcome: { error in
                logger.error("Outcome of a flush is not in the audit log", metadata: ["cause": "\(error)"])
            })
    }

    fileprivate func subject(_ target: FlushTarget, _ backend: String) -> AuditSubject {
        switch target {
        case .identifier(let identifier): .identifier(identifier, pseudonymKey)
        case .key(let key): .subscriber(pseudonymKey.reference(to: Subscriber(backend: backend, key: key)))
        case .reference(let pseudonym): .subscriber(pseudonym)
        case .all: .backend(backend)
        }
    }
}

extension FlushAudit? {
    /// Flushes between two entries of the audit log, if there is one.
    ///
    /// - Throws: The error of the log. Nothing was flushed then.
    func flushing(
        _ backend: String, _ target: FlushTarget, _ flush: () -> (removed: Int, remaining: Int)?
    ) async throws -> (removed: Int, remaining: Int)? {
        guard let self else { return flush() }
        return try await self.trail.perform(
            .backendFlush, of: [self.subject(target, backend)], [("backend", backend)],
            outcome: { (flushed: (removed: Int, remaining: Int)?) -> AuditDetails.Pairs in
                [("removed", flushed.map { String($0.removed) })]
            }
        ) { flush() }
    }
}
