package import Foundation

extension Explanation {
    /// Returns the explanation for a reader whom no subscriber system has found.
    package static func ofUnknownReader(
        _ lookup: ReaderLookup, in publication: PublicationID, _ edition: EditionID, at timestamp: Date,
        isOtherTime: Bool
    ) -> Explanation {
        let verdict: Verdict =
            !lookup.failures.isEmpty
            ? .unavailable(.backendUnavailable)
            : lookup.unsupported.isEmpty ? .rejected(.rejected, .wrongCredentials) : .undecided
        let step = ExplanationStep(
            .reader, verdict == .undecided ? .unknown : .fails, lookup.values, reason: verdict.reason)
        return Explanation(
            publication: publication, edition: edition, timestamp: timestamp, isOtherTime: isOtherTime,
            verdict: verdict, steps: [step])
    }
}

extension ReaderLookup {
    /// A Boolean value that indicates whether every system was searched.
    var isComplete: Bool { unsupported.isEmpty && failures.isEmpty }

    /// The facts about the search for an operator.
    var values: [ExplanationStep.Value] {
        var values: [ExplanationStep.Value] = []
        if !unsupported.isEmpty {
            values.append(ExplanationStep.Value("not_searchable", unsupported.sorted().joined(separator: ", ")))
        }
        for (backend, cause) in failures.sorted(by: { $0.key < $1.key }) {
            values.append(ExplanationStep.Value("error \(backend)", cause))
        }
        if !ambiguous.isEmpty {
            values.append(ExplanationStep.Value("ambiguous", ambiguous.sorted().joined(separator: ", ")))
        }
        return values
    }
}
