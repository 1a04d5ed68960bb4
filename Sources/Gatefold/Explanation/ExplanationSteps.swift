import Foundation
import Primitives

/// The steps of an explanation, from values that were queried before.
///
/// A step that would prevent access by itself fails, unless the edition opens nevertheless: then the step does not matter.
struct ExplanationSteps {
    typealias Value = ExplanationStep.Value

    let service: AuthorizationService
    let edition: EditionID
    let session: AuthenticatedSession
    /// Whether the session is that of a token, so that no sign-in is necessary.
    let hasToken: Bool
    let now: Date
    let isGranted: Bool
    /// The reason of the verdict.
    let reason: RefusalReason?
    private(set) var all: [ExplanationStep] = []

    init(
        service: AuthorizationService, edition: EditionID, session: AuthenticatedSession, hasToken: Bool, now: Date,
        isGranted: Bool, reason: RefusalReason?
    ) {
        self.service = service
        self.edition = edition
        self.session = session
        self.hasToken = hasToken
        self.now = now
        self.isGranted = isGranted
        self.reason = reason
    }

    private var backend: String { session.session.subscriber.backend }
    private var catalogue: Catalogue { service.publication.rule.catalogue }

    /// Adds a step that would prevent access by itself.
    private mutating func addObstacle(_ step: ExplanationStep, _ reason: RefusalReason) {
        var step = step
        step.outcome = isGranted ? .notApplicable : .fails
        step.reason = isGranted ? nil : reason
        all.append(step)
    }

    /// Adds a step whose system did not respond.
    private mutating func addFailure(_ step: ExplanationStep, _ failure: Unavailable) {
        var step = step
        step.outcome = isGranted ? .unknown : .fails
        step.reason = failure.reason
        step.values.append(Value("error", failure.cause))
        all.append(step)
    }

    /// - Parameter lookup: The lookup that found the reader, if there was one.
    mutating func addReader(_ lookup: ReaderLookup?) {
        var step = ExplanationStep(
            .reader, .passes, [Value("backend", backend), Value("subscriber", session.reference.description)])
        if let lookup {
            let subscriber = session.session.subscriber
            let number = lookup.subscribers.firstIndex { $0.backend == backend && $0.key == subscriber.key }
            if let number, lookup.subscribers.count > 1 {
                step.values.append(
                    Value("found", "\(number + 1) of \(lookup.subscribers.count), in the order of sign-ins"))
            }
            step.values += lookup.values
            if lookup.ambiguous.contains(backend) {
                step.outcome = .fails
                step.reason = .wrongCredentials
            }
        }
        if !service.backend.handles(backend) {
            step.outcome = .fails
            step.reason = .tokenUnreadable
        }
        all.append(step)
    }

    mutating func addThrottle(_ subject: ExplanationSubject, _ context: CallContext) async {
        guard !hasToken else { return all.append(ExplanationStep(.throttle, .notApplicable)) }
        let publication = service.publication
        let attempt = subject.identifier
            .flatMap { Credentials(finding: $0, field: publication.credentialFields.identifier) }
            .map {
                service.pseudonymKey.attempt(
                    $0, publication: publication.id, device: subject.device, client: context.client)
            }
        let elapsed = service.clock.elapsed
        do {
            switch try await service.loginThrottle.lock(of: attempt, session.reference, at: elapsed) {
            case .open: all.append(ExplanationStep(.throttle, .passes))
            case .unknown:
                all.append(
                    ExplanationStep(.throttle, .unknown, [Value("counted_by", "the running server, in memory")]))
            case .locked(let wait):
                all.append(
                    ExplanationStep(.throttle, .warns, [Value("retry_after", "\(wait) s")], reason: .throttled))
            }
        } catch {
            all.append(ExplanationStep(.throttle, .unknown, reason: .stateUnavailable))
        }
    }

    mutating func addSubscription(
        _ result: Result<Fetched<Subscription>, Unavailable>, _ trace: QueryTrace, lacksSession: Bool
    ) {
        var step = ExplanationStep(.subscription, .passes)
        step.backend = backend
        switch result {
        case .failure(let failure):
            if let call = trace.calls.last { step.values.append(Value("call", call)) }
            addFailure(step, failure)
        case .success(let fetched):
            step.freshness = fetched.freshness
            let subscription = fetched.value
            step.values.append(Value("state", subscription.state.rawValue))
            for (number, record) in trace.records.enumerated() {
                let prefix = trace.records.count > 1 ? "raw \(number + 1) " : "raw "
                step.values += record.filter { !$0.isPersonal }.map {
                    Value(prefix + $0.name, $0.values.isEmpty ? "(none)" : $0.values.joined(separator: ", "))
                }
            }
            if subscription.state == .unknown, lacksSession {
                step.values.append(Value("session", "none; the backend requires the one in the token of the app"))
            }
            // The text is for the reader, and may name them.
            if subscription.message != nil { step.values.append(Value("message", "present")) }
            step.values.append(Value("editions", Self.text(subscription.entitlement)))
            if !subscription.periods.isEmpty {
                let periods = subscription.periods.map { Self.text($0) }
                step.values.append(Value("periods", periods.joined(separator: ", ")))
            }
            if fetched.freshness == .stale, reason == .backendUnavailable {
                step.outcome = .fails
                step.reason = .backendUnavailable
                all.append(step)
            } else if let reason = RefusalReason(subscription.state) {
                addObstacle(step, reason)
            } else {
                all.append(step)
            }
        }
    }

    mutating func addPurchases(_ result: Result<Subscription?, Unavailable>) {
        guard service.purchaseSource != nil else {
            all.append(ExplanationStep(.purchases, .notApplicable, [Value("stores", "none")]))
            return
        }
        switch result {
        case .failure(let failure): addFailure(ExplanationStep(.purchases, .unknown), failure)
        case .success(nil):
            all.append(ExplanationStep(.purchases, .notApplicable, [Value("editions", "none")]))
        case .success(let bought?):
            let values = [Value("state", bought.state.rawValue), Value("editions", Self.text(bought.entitlement))]
            all.append(ExplanationStep(.purchases, bought.opens(edition) ? .passes : .notApplicable, values))
        }
    }

    mutating func addPolicy(_ result: Result<Fetched<Subscription>, Unavailable>, _ verified: Subscription?) {
        let rule = service.publication.rule
        var step = ExplanationStep(.policy, .notApplicable, [Value("policy", rule.policy.rawValue)])
        if rule.grace.previousOfHeld > 0 {
            step.values.append(Value("previous_of_held", String(rule.grace.previousOfHeld)))
        }
        if rule.grace.newestForActive > 0 {
            step.values.append(Value("newest_for_active", String(rule.grace.newestForActive)))
        }
        if let verified { step.values.append(Value("editions", Self.text(verified.entitlement))) }
        guard let reported = try? result.get().value else {
            step.outcome = .unknown
            return all.append(step)
        }
        guard let applied = try? service.applyingRule(to: reported) else {
            step.outcome = .unknown
            step.reason = .catalogueUnavailable
            return all.append(step)
        }
        if applied.opens(edition) {
            step.outcome = .passes
            all.append(step)
        } else if RefusalReason(reported.state) != nil || !catalogue.isPublished(edition, at: now) {
            // The subscription or the catalogue is the obstacle.
            all.append(step)
        } else {
            addObstacle(step, .notIncluded)
        }
    }

    mutating func addCatalogue() {
        if catalogue.isPending {
            all.append(ExplanationStep(.catalogue, .fails, reason: .catalogueUnavailable))
            return
        }
        guard let entry = catalogue[edition] else {
            let count = catalogue.editions.count
            let step = ExplanationStep(.catalogue, .notApplicable, [Value("editions", String(count))])
            if catalogue.mayContain(edition) { all.append(step) } else { addObstacle(step, .unknownEdition) }
            return
        }
        var step = ExplanationStep(.catalogue, .passes)
        step.values.append(Value("published", entry.published.formatted(.iso8601)))
        if entry.isDraft { step.values.append(Value("draft", "yes")) }
        if entry.isFree { step.values.append(Value("free", "yes")) }
        if let withdrawn = entry.withdrawn { step.values.append(Value("withdrawn", withdrawn.formatted(.iso8601))) }
        if catalogue.isPublished(edition, at: now) {
            all.append(step)
        } else {
            addObstacle(step, .notYetPublished)
        }
    }

    mutating func addVerdict(_ result: Result<Fetched<EditionVerdict?>, Unavailable>?) {
        var step = ExplanationStep(.verdict, .notApplicable)
        step.backend = backend
        switch result {
        case nil: all.append(ExplanationStep(.verdict, .notApplicable, [Value("final", "the policy")]))
        case .failure(let failure): addFailure(step, failure)
        case .success(let fetched):
            step.freshness = fetched.freshness
            switch fetched.value {
            case nil:
                step.values.append(Value("verdict", "none"))
                all.append(step)
            case .granted:
                step.values.append(Value("verdict", "granted"))
                addGrant(step)
            case .rejected(let status, let message):
                step.values.append(Value("verdict", "rejected"))
                if message != nil { step.values.append(Value("message", "present")) }
                addObstacle(step, EditionRejection(verdict: status, message: message).reason)
            case .deferred(let subscriptions, otherwise: let status, let message):
                step.values.append(Value("verdict", "by \(subscriptions.count) subscriptions"))
                let opens = subscriptions.contains { subscription in
                    (try? service.applyingRule(to: subscription))?.opens(edition) == true
                }
                if opens { return addGrant(step) }
                if message != nil { step.values.append(Value("message", "present")) }
                addObstacle(step, EditionRejection(verdict: status, message: message).reason)
            }
        }
    }

    /// Adds the system's own grant. A last known good one does not count after a later denial.
    private mutating func addGrant(_ step: ExplanationStep) {
        var step = step
        let isOutdated = step.freshness == .stale && reason == .backendUnavailable
        step.outcome = isOutdated ? .fails : .passes
        step.reason = isOutdated ? .backendUnavailable : nil
        all.append(step)
    }

    mutating func addDevices() async {
        let publication = service.publication
        guard publication.deviceField != nil, let limit = publication.deviceLimit else {
            all.append(ExplanationStep(.devices, .notApplicable, [Value("limit", "none")]))
            return
        }
        var step = ExplanationStep(
            .devices, .passes,
            [Value("limit", String(limit.maxDevices)), Value("on_limit", limit.onLimit.rawValue)])
        let known: [Device]
        do {
            known = try await service.state.devices(of: session.reference, in: publication.id)
        } catch {
            step.outcome = .unknown
            step.reason = .stateUnavailable
            return all.append(step)
        }
        step.values.append(Value("devices", String(known.count)))
        if let last = known.map(\.lastUsed).max() {
            step.values.append(Value("last_used", last.formatted(.iso8601)))
        }
        // The device of a session is admitted.
        if hasToken {
            step.outcome = .notApplicable
            return all.append(step)
        }
        let device = session.session.device
        let other = device ?? service.pseudonymKey.reference(toDevice: "another device of \(session.reference)")
        switch limit.admit(other, among: known) {
        case .admitted(let evicted):
            if !evicted.isEmpty { step.values.append(Value("a_new_device_ends", String(evicted.count))) }
        case .rejected:
            step.outcome = .warns
            step.reason = .deviceLimit
        }
        all.append(step)
    }

    mutating func addSessions(_ reading: TokenReadResult?, _ token: String?) {
        let (before, count) = service.revocations.endedSessions(of: session.reference)
        let floor = service.revocations.floor
        var step = ExplanationStep(.sessions, .passes)
        if floor > .distantPast { step.values.append(Value("all_readers_before", floor.formatted(.iso8601))) }
        if let before { step.values.append(Value("ended_before", before.formatted(.iso8601))) }
        if count > 0 { step.values.append(Value("ended_sessions", String(count))) }
        if let reading {
            step.values.append(Value("issued", session.session.issuedAt.formatted(.iso8601)))
            step.values.append(Value("expires", session.session.expiresAt.formatted(.iso8601)))
            if let refusal = reading.refusal(token ?? "") {
                step.outcome = .fails
                step.reason = refusal.reason
            }
        } else if !step.values.isEmpty {
            // Whether the session of the app is one of them is known only with its token.
            step.outcome = .unknown
            step.reason = .sessionRevoked
        }
        if service.hasOutdatedRevocations, step.outcome != .fails {
            step.outcome = .fails
            step.reason = .revocationsOutdated
        }
        all.append(step)
    }

    /// - Parameters:
    ///   - isUndecided: Whether the verdict is not known.
    ///   - isServing: Whether this process serves the readers.
    mutating func addCredentials(
        _ outcome: AuthorizationService.EditionOutcome?, isUndecided: Bool, isServing: Bool
    ) {
        let lifetimes = service.publication.lifetimes
        let lifetime: TimeInterval
        switch outcome {
        case .granted: lifetime = lifetimes.editionCredentials
        case .failedOpen: lifetime = lifetimes.failOpenCredentials
        case .rejected, .unavailable, nil:
            all.append(ExplanationStep(.credentials, .notApplicable))
            return
        }
        if isUndecided {
            var step = ExplanationStep(.credentials, .unknown)
            if !isServing, case .failedOpen = outcome {
                step.values.append(Value("outage", "the server decides by its cached results and denials"))
            }
            return all.append(step)
        }
        let end = min(now.addingTimeInterval(lifetime), session.session.expiresAt)
        var isSealed = service.publication.saltFormat == .sealed
        // Short-lived credentials always have an expiry.
        if case .failedOpen = outcome { isSealed = true }
        let expiry = isSealed ? end.formatted(.iso8601) : "never, because plain salts have no expiry"
        all.append(ExplanationStep(.credentials, .passes, [Value("expire", expiry)]))
    }

    mutating func addFile(_ file: ((EditionID, EditionArchive?) async -> EditionFile)?) async {
        let archive = EditionArchive(edition: edition, file: catalogue[edition]?.file)
        switch await file?(edition, archive) {
        case nil: all.append(ExplanationStep(.file, .notApplicable, [Value("content", "none")]))
        case .elsewhere: all.append(ExplanationStep(.file, .notApplicable, [Value("content", "on another server")]))
        case .present(let path, let bytes):
            let size = bytes.map { [Value("bytes", String($0))] } ?? []
            all.append(ExplanationStep(.file, .passes, [Value("path", path)] + size))
        case .missing(let paths):
            let values = [Value("path", paths.joined(separator: " or "))]
            all.append(ExplanationStep(.file, .fails, values, reason: .fileMissing))
        case .unavailable: all.append(ExplanationStep(.file, .unknown))
        }
    }

    private static func text(_ entitlement: Entitlement) -> String {
        switch entitlement {
        case .allEditions: "all"
        case .editions(let held): String(held.count)
        }
    }

    private static func text(_ period: Period) -> String {
        let start = period.start == .distantPast ? "" : period.start.formatted(.iso8601)
        return "\(start)/\(period.end?.formatted(.iso8601) ?? "")"
    }
}
