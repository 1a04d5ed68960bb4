package import Foundation

extension Explanation {
    /// Returns the explanation for a reader whom no subscriber system has found.
    package static func ofUnknownReader(
        _ lookup: ReaderLookup, in publication: PublicationID, _ edition: EditionID, at timestamp: Date,
        isOtherTime: Bool
    ) -> Explanation {
        var values: [ExplanationStep.Value] = []
        if !lookup.unsupported.isEmpty {
            values.append(
                ExplanationStep.Value("not_searchable", lookup.unsupported.sorted().joined(separator: ", ")))
        }
        for (backend, cause) in lookup.failures.sorted(by: { $0.key < $1.key }) {
            values.append(ExplanationStep.Value("error \(backend)", cause))
        }
        let verdict: Verdict =
            !lookup.failures.isEmpty
            ? .unavailable(.backendUnavailable)
            : lookup.unsupported.isEmpty ? .rejected(.rejected, .wrongCredentials) : .undecided
        let step = ExplanationStep(
            .reader, verdict == .undecided ? .unknown : .fails, values, reason: verdict.reason)
        return Explanation(
            publication: publication, edition: edition, timestamp: timestamp, isOtherTime: isOtherTime,
            verdict: verdict, steps: [step])
    }
}
