/// An event of the proxy, for logs and metrics. It contains no credential, token or name.
public enum AuthorizationEvent: Sendable, Equatable {
    case signedIn(SubscriberPseudonym)
    case renewed(SubscriberPseudonym)
    case verified(SubscriberPseudonym, SubscriptionState)
    case credentialsIssued(SubscriberPseudonym, EditionID)
    case signedOut(SubscriberPseudonym)
    case signInRejected(SignInRejection.Reason)
    case credentialsRejected(CredentialsRejection.Reason?)
    /// Credentials were issued although the backend was unavailable.
    case failedOpen(SubscriberPseudonym, EditionID)
    case deviceEvicted(SubscriberPseudonym)
    /// - Parameter cause: The cause of the failure, without secrets.
    case backendFailed(backend: String, cause: String)
    case stateStoreFailed(cause: String)
}

extension AuthorizationEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .signedIn(let subscriber):
            .counter("gatefold_sign_ins_total", ["result": "signed_in"])
                .log(.info, "Signed in", ["subscriber": subscriber])
        case .renewed(let subscriber):
            .counter("gatefold_renewals_total", ["result": "renewed"])
                .log(.debug, "Token renewed", ["subscriber": subscriber])
        case .verified(_, let state): .counter("gatefold_verifications_total", ["result": state.rawValue])
        case .credentialsIssued(let subscriber, let edition):
            .counter("gatefold_edition_credentials_total", ["result": "issued"])
                .log(.debug, "Edition credentials issued", ["subscriber": subscriber, "edition": edition])
        case .signedOut(let subscriber):
            .counter("gatefold_sign_outs_total", ["result": "signed_out"])
                .log(.info, "Signed out", ["subscriber": subscriber])
        case .signInRejected(let reason): .counter("gatefold_sign_ins_total", ["result": reason.label])
        case .credentialsRejected(let reason):
            .counter("gatefold_edition_credentials_total", ["result": reason?.rawValue ?? "error"])
        case .failedOpen(let subscriber, let edition):
            .counter("gatefold_fail_open_total", ["result": "issued"])
                .log(.warning, "Failed open", ["subscriber": subscriber, "edition": edition])
        case .deviceEvicted(let subscriber):
            .counter("gatefold_devices_evicted_total", ["result": "evicted"])
                .log(.info, "Device evicted", ["subscriber": subscriber])
        case .backendFailed(let backend, let cause):
            .counter("gatefold_backend_failures_total", ["result": backend])
                .log(.error, "Backend query failed", ["backend": backend, "cause": cause])
        case .stateStoreFailed(let cause):
            .counter("gatefold_state_failures_total", ["result": "failed"])
                .log(.error, "State store failed", ["cause": cause])
        }
    }
}

extension AuthorizationEvent {
    /// The counters of verifications and edition credentials, which are most requests.
    package var frequentCounter: FrequentCounter? {
        switch self {
        case .verified(_, let state):
            switch state {
            case .active: FrequentCounter(0)
            case .inactive: FrequentCounter(1)
            case .suspended: FrequentCounter(2)
            case .stale: FrequentCounter(3)
            case .unknown: FrequentCounter(4)
            }
        case .credentialsIssued: FrequentCounter(5, level: .debug)
        case .credentialsRejected(let reason):
            switch reason {
            case .rejected?: FrequentCounter(6)
            case .notEntitled?: FrequentCounter(7)
            case .expired?: FrequentCounter(8)
            case nil: FrequentCounter(9)
            }
        default: nil
        }
    }
}

extension SignInRejection.Reason {
    /// The label value of the metric.
    fileprivate var label: String {
        switch self {
        case .rejected: "rejected"
        case .throttled: "throttled"
        case .tooManyDevices: "too_many_devices"
        case .deviceRequired: "device_required"
        }
    }
}
