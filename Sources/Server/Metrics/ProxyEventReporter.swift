public import Gatefold
import Logging
import Metrics

/// Turns what the proxy did into metrics and log lines, these by the logger of the request it was done for.
public struct ProxyEventReporter: Sendable {
    private struct Result: Hashable {
        let label: String
        let word: String

        /// One is looked up for each answer, and the words alone tell nearly all of them apart.
        func hash(into hasher: inout Hasher) { hasher.combine(word) }
    }

    private let publication: PublicationID
    private let counters: CounterShelf<Result>

    public init(publication: PublicationID) {
        self.publication = publication
        counters = CounterShelf { result in
            Counter(
                label: result.label, dimensions: [("publication", publication.rawValue), ("result", result.word)])
        }
    }

    public func report(_ event: ProxyEvent) {
        let logger = Logger.current
        switch event {
        case .signedIn(let subscriber):
            count("gatefold_sign_ins_total", "signed_in")
            logger.info("signed in", metadata: fields(subscriber))
        case .renewed(let subscriber):
            count("gatefold_renewals_total", "renewed")
            logger.debug("renewed", metadata: fields(subscriber))
        case .verified(_, let state):
            count("gatefold_verifications_total", state.rawValue)
        case .credentialsIssued(let subscriber, let edition):
            count("gatefold_edition_credentials_total", "issued")
            logger.debug("edition credentials issued", metadata: fields(subscriber, edition))
        case .signedOut(let subscriber):
            count("gatefold_sign_outs_total", "signed_out")
            logger.info("signed out", metadata: fields(subscriber))
        case .signInRefused(let reason):
            count("gatefold_sign_ins_total", Self.word(reason))
        case .credentialsRefused(let reason):
            count("gatefold_edition_credentials_total", reason?.rawValue ?? "error")
        case .failedOpen(let subscriber, let edition):
            count("gatefold_fail_open_total", "issued")
            logger.warning("failed open", metadata: fields(subscriber, edition))
        case .deviceEvicted(let subscriber):
            count("gatefold_devices_evicted_total", "evicted")
            logger.info("device evicted", metadata: fields(subscriber))
        case .backendFailed(let backend, let cause):
            count("gatefold_backend_failures_total", backend)
            logger.error(
                "backend could not be asked",
                metadata: ["publication": "\(publication)", "backend": "\(backend)", "cause": "\(cause)"])
        case .stateStoreFailed(let cause):
            count("gatefold_state_failures_total", "failed")
            logger.error("state store failed", metadata: ["publication": "\(publication)", "cause": "\(cause)"])
        }
    }

    private func count(_ label: String, _ result: String) {
        counters[Result(label: label, word: result)].increment()
    }

    private func fields(_ subscriber: SubscriberReference, _ edition: EditionID? = nil) -> Logger.Metadata {
        var fields: Logger.Metadata = ["publication": "\(publication)", "subscriber": "\(subscriber)"]
        if let edition { fields["edition"] = "\(edition)" }
        return fields
    }

    private static func word(_ reason: SignInRefusal.Reason) -> String {
        switch reason {
        case .notRecognised: "not_recognised"
        case .throttled: "throttled"
        case .tooManyDevices: "too_many_devices"
        case .deviceRequired: "device_required"
        }
    }
}
