public import Gatefold
import Logging
import Metrics

/// The reporter that converts events of the proxy into metrics and log lines. It uses the logger of the request.
public struct AuthorizationEventReporter: Sendable {
    private struct Result: Hashable {
        let label: String
        let resultLabel: String

        /// Hashes only `resultLabel`, because a lookup happens for each response and `resultLabel` alone distinguishes nearly all
        /// results.
        func hash(into hasher: inout Hasher) { hasher.combine(resultLabel) }
    }

    private let publication: PublicationID
    private let counters: CounterCache<Result>

    public init(publication: PublicationID) {
        self.publication = publication
        counters = CounterCache { result in
            Counter(
                label: result.label,
                dimensions: [("publication", publication.rawValue), ("result", result.resultLabel)])
        }
    }

    public func report(_ event: AuthorizationEvent) {
        let logger = Logger.current
        switch event {
        case .signedIn(let subscriber):
            count("gatefold_sign_ins_total", "signed_in")
            logger.info("Signed in", metadata: fields(subscriber))
        case .renewed(let subscriber):
            count("gatefold_renewals_total", "renewed")
            logger.debug("Token renewed", metadata: fields(subscriber))
        case .verified(_, let state):
            count("gatefold_verifications_total", state.rawValue)
        case .credentialsIssued(let subscriber, let edition):
            count("gatefold_edition_credentials_total", "issued")
            logger.debug("Edition credentials issued", metadata: fields(subscriber, edition))
        case .signedOut(let subscriber):
            count("gatefold_sign_outs_total", "signed_out")
            logger.info("Signed out", metadata: fields(subscriber))
        case .signInRejected(let reason):
            count("gatefold_sign_ins_total", Self.resultLabel(reason))
        case .credentialsRejected(let reason):
            count("gatefold_edition_credentials_total", reason?.rawValue ?? "error")
        case .failedOpen(let subscriber, let edition):
            count("gatefold_fail_open_total", "issued")
            logger.warning("Failed open", metadata: fields(subscriber, edition))
        case .deviceEvicted(let subscriber):
            count("gatefold_devices_evicted_total", "evicted")
            logger.info("Device evicted", metadata: fields(subscriber))
        case .backendFailed(let backend, let cause):
            count("gatefold_backend_failures_total", backend)
            logger.error(
                "Backend query failed",
                metadata: ["publication": "\(publication)", "backend": "\(backend)", "cause": "\(cause)"])
        case .stateStoreFailed(let cause):
            count("gatefold_state_failures_total", "failed")
            logger.error("State store failed", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private func count(_ label: String, _ result: String) {
        counters[Result(label: label, resultLabel: result)].increment()
    }

    private func fields(_ subscriber: SubscriberPseudonym, _ edition: EditionID? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["publication": "\(publication)", "subscriber": "\(subscriber)"]
        if let edition { fields["edition"] = "\(edition)" }
        return fields
    }

    private static func resultLabel(_ reason: SignInRejection.Reason) -> String {
        switch reason {
        case .rejected: "rejected"
        case .throttled: "throttled"
        case .tooManyDevices: "too_many_devices"
        case .deviceRequired: "device_required"
        }
    }
}
