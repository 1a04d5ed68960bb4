package import Gatefold

/// Explanations for one edition, each query of which follows its entry in the audit log.
package struct AuditedInspection: Sendable {
    package let inspection: ReaderInspection
    private let edition: EditionID
    private let trail: AuditTrail

    package init(_ inspection: ReaderInspection, _ edition: EditionID, _ trail: AuditTrail) {
        self.inspection = inspection
        self.edition = edition
        self.trail = trail
    }

    /// Explains whether a reader can open the edition.
    ///
    /// - Throws: The error of the audit log, or a cancellation error.
    package func explain(_ subject: ExplanationSubject) async throws -> Explanation {
        let reference = inspection.service.pseudonymKey.reference(to: subject.subscriber)
        return try await perform(.subscriber(reference)) { (explanation: Explanation) -> AuditDetails.Pairs in
            [("verdict", explanation.verdict.name), ("reason", explanation.verdict.reason?.rawValue)]
        } _: {
            try await inspection.explain(subject, edition)
        }
    }

    /// Looks a reader up, and explains the decision for each subscriber that was found. The audit log has an entry also if
    /// nobody was found.
    ///
    /// - Throws: The error of the audit log, or a cancellation error.
    package func explain(
        _ credentials: Credentials, _ identifier: String, device: String?
    ) async throws -> [Explanation] {
        let entered = AuditSubject.identifier(identifier, inspection.service.pseudonymKey)
        return try await perform(entered) { (explanations: [Explanation]) -> AuditDetails.Pairs in
            [("found", String(explanations.count(where: { $0.reader != nil })))]
        } _: {
            let lookup = try await inspection.lookUp(credentials)
            var explanations: [Explanation] = []
            for subscriber in lookup.subscribers {
                let subject = ExplanationSubject(subscriber, identifier: identifier, device: device, lookup: lookup)
                explanations.append(try await explain(subject))
            }
            return explanations.isEmpty ? [inspection.explain(unknown: lookup, edition)] : explanations
        }
    }

    private func perform<Value>(
        _ subject: AuditSubject, outcome: (Value) -> AuditDetails.Pairs, _ query: () async throws -> Value
    ) async throws -> Value {
        try await trail.perform(
            .readerExplain, of: [subject], in: inspection.service.publication.id, [("edition", edition.rawValue)],
            outcome: outcome, query)
    }
}
