/// The audit log with what all entries of one origin have in common.
package struct AuditTrail: Sendable {
    private let log: any AuditLog
    private let chain: AuditChain
    package let actor: AuditActor
    private let reason: AuditReason?
    private let didMissOutcome: @Sendable (any Error) -> Void

    /// - Parameter didMissOutcome: Receives the error if an action has ended, and its outcome cannot be recorded.
    package init(
        _ log: any AuditLog, _ chain: AuditChain, by actor: AuditActor, reason: AuditReason? = nil,
        didMissOutcome: @escaping @Sendable (any Error) -> Void
    ) {
        self.log = log
        self.chain = chain
        self.actor = actor
        self.reason = reason
        self.didMissOutcome = didMissOutcome
    }

    /// Records an action before its result is revealed, or a change that has its own record.
    ///
    /// - Parameters:
    ///   - subjects: The subjects, each of which gets an entry. Without one, there is a single entry.
    ///   - details: Names and values for ``AuditDetails``.
    /// - Throws: The error of the log. The caller must then reveal nothing.
    @discardableResult
    package func record(
        _ action: AuditAction, of subjects: [AuditSubject] = [], in publication: PublicationID? = nil,
        _ details: AuditDetails.Pairs = []
    ) async throws -> [AuditEntry] {
        let subjects = subjects.isEmpty ? [nil] : subjects.map(Optional.some)
        var entries: [AuditEntry] = []
        for subject in subjects {
            let record = AuditRecord(
                action, by: actor, of: subject, in: publication, reason: reason, details: AuditDetails(details))
            entries.append(try await log.append(record, to: chain))
        }
        return entries
    }

    /// Makes a change between the entry of its intent and that of its outcome, so that there is never a change without
    /// an entry. An intent without an outcome means that it is not known whether the change was made.
    ///
    /// - Parameters:
    ///   - subjects: The subjects, each of which gets both entries.
    ///   - details: Further details of both entries.
    ///   - outcome: Returns further details of the outcome.
    ///   - progress: Returns further details of the outcome for one of the subjects, also after an error.
    /// - Throws: The error of the log before the change, or the error of the change. It is recorded as incomplete, because
    ///   parts of it may have been made, and without the text of the error, which may contain personal data.
    package func perform<Value>(
        _ action: AuditAction, of subjects: [AuditSubject] = [], in publication: PublicationID? = nil,
        _ details: AuditDetails.Pairs = [],
        outcome: (Value) -> AuditDetails.Pairs = { _ in [] },
        progress: (AuditSubject?) async -> AuditDetails.Pairs = { _ in [] },
        _ change: () async throws -> Value
    ) async throws -> Value {
        let intents = try await record(action, of: subjects, in: publication, [("phase", "intent")] + details)
        func end(_ phase: String, _ more: AuditDetails.Pairs) async {
            let subjects = subjects.isEmpty ? [nil] : subjects.map(Optional.some)
            for (intent, subject) in zip(intents, subjects) {
                let phase: AuditDetails.Pairs = [
                    ("phase", phase), ("intent", String(intent.sequence)),
                ]
                let more = more + (await progress(subject))
                do {
                    try await record(action, of: subject.map { [$0] } ?? [], in: publication, phase + details + more)
                } catch {
                    didMissOutcome(error)
                }
            }
        }
        let value: Value
        do {
            value = try await change()
        } catch {
            await end("incomplete", [])
            throw error
        }
        await end("done", outcome(value))
        return value
    }
}
