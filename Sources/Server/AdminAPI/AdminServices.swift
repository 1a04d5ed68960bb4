import AdminAPI
import Backends
import Foundation
import FrontDoors
import Gatefold
import Logging
import Metrics
import Primitives
import State

/// What the operations of the admin API use.
struct AdminServices: Sendable {
    let publications: ReloadableSnapshot
    let parts: ServerServices
    let backends: BackendAdministration
    let flushes: FlushAudit
    let logger: Logger
    /// The place of a verification of the audit log, which reads the whole log.
    let verification = OnePlace()
    /// The place of an explanation for another time, which opens backends.
    let otherTime = OnePlace()

    init(
        _ parts: ServerServices, publications: ReloadableSnapshot, backends: BackendAdministration, logger: Logger
    ) {
        self.parts = parts
        self.publications = publications
        self.backends = backends
        flushes = FlushAudit(pseudonymKey: parts.pseudonymKey, logger: logger)
        self.logger = logger
    }

    var state: any StateStore { parts.state }
    /// The store of sessions, which announces revocations to the other nodes.
    var sessions: any SessionStore { parts.sessionStore }
    var key: PseudonymKey { parts.pseudonymKey }
    var clock: WallClock { parts.services.clock }

    /// Returns the service of the publication of a call.
    func service(_ call: AdminCall) throws(AdminProblem) -> AuthorizationService {
        guard let service = publications.value.directory.byID[try call.publication] else { throw .notFound }
        return service
    }

    /// Returns the reader whose handle is in the path. A reader of a backend that the publication does not use is not found,
    /// because another publication's token must not reveal them.
    func reader(_ call: AdminCall) throws(AdminProblem) -> AdminReader {
        let service = try service(call)
        let subscriber = try call.path("reader") { ReaderHandle.open($0, key: key) }
        return try reader(subscriber, of: service)
    }

    func reader(_ subscriber: Subscriber, of service: AuthorizationService) throws(AdminProblem) -> AdminReader {
        guard family(of: service).contains(subscriber.backend) else { throw .notFound }
        return AdminReader(subscriber: subscriber, pseudonym: key.reference(to: subscriber), service: service)
    }

    /// Returns the names of the backends whose subscribers are readers of a publication.
    func family(of service: AuthorizationService) -> [String] {
        var seen: Set<String> = []
        return publications.value.backends.family(of: service.backend.name).map { $0.name }
            .filter { seen.insert($0).inserted }
    }

    /// Returns the environment of the API.
    func environment(random: RandomSource) -> AdminAPI<AdminServices>.Environment {
        AdminAPI<AdminServices>.Environment(
            tokens: state, outcomes: state, log: state, key: key, clock: clock, random: random,
            hasPublication: { [publications] in publications.value.directory.byID[$0] != nil },
            problem: { [logger] error in
                logger.error("Admin request failed", metadata: ["cause": "\(StateHealth.cause(error))"])
                return StateStoreError.isOutage(error) || error is Unavailable ? .unavailable : .failed
            },
            didMissOutcome: { [logger] error in
                logger.error(
                    "Outcome of an admin request is not recorded", metadata: ["cause": "\(StateHealth.cause(error))"])
            },
            didRespond: { [logger] trace in
                let operation = trace.operation ?? "none"
                Counter(
                    label: "gatefold_admin_requests_total",
                    dimensions: [("operation", operation), ("status", String(trace.status))]
                ).increment()
                logger.info(
                    "Admin request",
                    metadata: [
                        "operation": "\(operation)", "status": "\(trace.status)", "user": "\(trace.user ?? "-")",
                    ])
            })
    }
}

/// A reader in a publication.
struct AdminReader: Sendable {
    let subscriber: Subscriber
    let pseudonym: SubscriberPseudonym
    let service: AuthorizationService

    var subject: AuditSubject { .subscriber(pseudonym) }
}
