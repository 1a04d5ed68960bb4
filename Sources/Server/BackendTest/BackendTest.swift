import Backends
package import Gatefold
import Primitives
import Resilience

/// A test of one subscriber backend of the configuration, in the process of a command: its connection, a lookup, a
/// sign-in, and the mapping of the results.
///
/// The queries reach the real system, within the protections of the backend. The members of a chain are tested one by one,
/// so that a sign-in migrates no reader from one to another.
package struct BackendTest: Sendable {
    /// The known facts about the reader.
    package struct Reader: Sendable {
        package let identifier: String
        /// The proof for a test sign-in, if there is one.
        package var password: String?
        /// An edition for the backend's own verdict.
        package var edition: EditionID?

        package init(_ identifier: String, password: String? = nil, edition: EditionID? = nil) {
            self.identifier = identifier
            self.password = password
            self.edition = edition
        }
    }

    private let tested: [any SubscriberBackend]
    private let credentialFields: CredentialFields
    private let pseudonymKey: PseudonymKey

    /// Opens the backend and those that it queries.
    ///
    /// - Parameters:
    ///   - name: The name of a backend of the configuration.
    ///   - configuration: The configuration.
    /// - Throws: `SettingsError` or ``BootstrapError``.
    package init(_ name: String, in configuration: GatefoldConfiguration) throws {
        let plan = try Bootstrap.plan(configuration)
        let names = Set(plan.family(of: name).map(\.name))
        // The plan has members before the backends that query them.
        let family = plan.entries.filter { names.contains($0.name) }
        let services = try Bootstrap.commandServices(configuration)
        let backends = try LiveBackendRegistry(BackendPlan(entries: family), services: services)
        tested = family.filter { $0.kind.members.isEmpty }.compactMap { backends[$0.name] }
        let publication = configuration.publications.first { publication in
            plan.family(of: publication.backend).contains { $0.name == name }
        }
        credentialFields =
            publication?.publication.credentialFields
            ?? CredentialFields(identifier: "email", proofs: ["password"])
        pseudonymKey = configuration.state.pseudonymKey
    }

    /// Returns whether a sign-in accepts an identifier.
    package func accepts(identifier: String) -> Bool {
        Credentials(finding: identifier, field: credentialFields.identifier) != nil
    }

    /// The fields of a test sign-in, of which `--password-stdin` fills the only proof.
    package var proofs: [String] { credentialFields.proofs }

    /// Runs the test.
    ///
    /// - Parameter reader: The reader, or nil to test the connection only.
    package func run(_ reader: Reader?) async throws -> BackendTestReport {
        var report = BackendTestReport()
        for backend in tested {
            var part = BackendTestReport.Part(backend: backend.name)
            try await test(ResolvedBackend(backend), reader, &part)
            report.backends.append(part)
        }
        return report
    }

    private func test(
        _ backend: ResolvedBackend, _ reader: Reader?, _ part: inout BackendTestReport.Part
    ) async throws {
        // A backend that is not healthy, such as an old feed, may still respond.
        _ = try await step("connect", &part) { _ in try await backend.health() }
        guard let reader,
            let credentials = Credentials(finding: reader.identifier, field: credentialFields.identifier)
        else { return }
        var subscribers: [Subscriber] = []
        if backend.supportsLookup {
            let found = try await step("lookup", &part) { step in
                let lookup = try await backend.lookUp(credentials, context: CallContext()).value
                let found = lookup.subscribers
                step.details.append("\(found.count) found")
                if !lookup.ambiguous.isEmpty { step.details.append("a sign-in rejects the ambiguous identifier") }
                if let cause = lookup.failures.values.first {
                    step.outcome = .failed
                    step.cause = cause
                } else if found.isEmpty || !lookup.ambiguous.isEmpty {
                    step.outcome = .negative
                }
                return found
            }
            subscribers = found ?? []
        } else {
            part.steps.append(.skipped("lookup", "the backend finds no reader by an identifier alone"))
        }
        if let password = reader.password {
            if let signedIn = try await signIn(backend, reader.identifier, password, &part) { subscribers = [signedIn] }
        } else {
            part.steps.append(.skipped("sign_in", "no password"))
        }
        for subscriber in subscribers {
            part.subscribers.append(pseudonymKey.reference(to: subscriber).description)
            try await subscription(backend, subscriber, &part)
            if let edition = reader.edition { try await verdict(backend, subscriber, edition, &part) }
        }
    }

    private func signIn(
        _ backend: ResolvedBackend, _ identifier: String, _ password: String, _ part: inout BackendTestReport.Part
    ) async throws -> Subscriber? {
        guard let proof = credentialFields.proofs.first, credentialFields.proofs.count == 1 else {
            part.steps.append(.skipped("sign_in", "expected one proof, not \(credentialFields.proofs.count)"))
            return nil
        }
        let fields = [credentialFields.identifier: identifier, proof: password]
        guard let typed = credentialFields.credentials(from: fields) else {
            part.steps.append(.failed("sign_in", [], "no sign-in accepts this password"))
            return nil
        }
        let result = try await step("sign_in", &part) { step -> Subscriber? in
            switch try await backend.authenticate(typed, context: CallContext()).value {
            case .authenticated(let subscriber): return subscriber
            case .rejected(_, let found):
                step.outcome = .negative
                step.details.append(found.all.isEmpty ? "rejected" : "rejected: the reader exists, the proof is wrong")
                return nil
            }
        }
        return result ?? nil
    }

    private func subscription(
        _ backend: ResolvedBackend, _ subscriber: Subscriber, _ part: inout BackendTestReport.Part
    ) async throws {
        let trace = QueryTrace()
        let found = try await step("subscription", trace: trace, &part) { step in
            let subscription = try await backend.subscription(of: subscriber, context: CallContext()).value
            if subscription.state == .unknown { step.outcome = .negative }
            return subscription
        }
        part.raw += trace.records.map { record in
            record.map { BackendTestReport.RawField($0) }
        }
        if let found { part.mapped.append(BackendTestReport.Mapped(found)) }
    }

    private func verdict(
        _ backend: ResolvedBackend, _ subscriber: Subscriber, _ edition: EditionID,
        _ part: inout BackendTestReport.Part
    ) async throws {
        guard backend.decidesEditions else {
            part.steps.append(.skipped("verdict", "the backend has no verdicts"))
            return
        }
        _ = try await step("verdict", &part) { step in
            let verdict = try await backend.verdict(on: edition, for: subscriber, context: CallContext()).value
            switch verdict {
            case nil: step.details.append("none")
            case .granted: step.details.append("granted")
            case .rejected: step.details.append("rejected")
            case .deferred: step.details.append("by subscriptions")
            }
        }
    }

    private func step<Value: Sendable>(
        _ name: String, trace: QueryTrace = QueryTrace(), _ part: inout BackendTestReport.Part,
        _ query: (inout BackendTestReport.Step) async throws -> Value
    ) async throws -> Value? {
        var step = BackendTestReport.Step(step: name, outcome: .succeeded)
        let start = ContinuousClock.now
        defer {
            step.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            part.steps.append(step)
        }
        do {
            let value = try await QueryTrace.$current.withValue(trace) { try await query(&step) }
            step.calls = trace.calls
            return value
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            step.outcome = .failed
            step.calls = trace.calls
            // Only the type of another error is printed, because its text may contain what a reader typed.
            step.cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
            return nil
        }
    }
}
