import XML

/// What a reader's sign-ins with a wrong proof and nobody's were answered, which were made by turns; refusals alone.
struct TimedRefusals {
    let reader: CheckReader
    let known: [Exchange], unknown: [Exchange]
}

extension Evidence {
    /// Of each reader who may be tried with a wrong proof, in the order of the cases.
    var timedRefusals: [TimedRefusals] {
        let word = usualRefusal
        func refused(isKnown: Bool) -> [Exchange] {
            exchanges(.timed(isKnown: isKnown)).filter { $0.refusal != nil && (word == nil || $0.refusal == word) }
        }
        let known = refused(isKnown: true)
        let unknown = refused(isKnown: false)
        return cases.triedWithWrongProof.map { reader in
            TimedRefusals(
                reader: reader, known: known.filter { $0.probe.reader == reader.name },
                unknown: unknown.filter { $0.probe.reader == reader.name })
        }
    }

    /// The status that nobody was refused with before any times were taken: with another one, something else is refused, such as
    /// one more question.
    var usualRefusal: String? { exchanges(.unknownReader).lazy.compactMap(\.refusal).first }

    /// What tells the answer to the reader's wrong proof from the one to nobody, without a stopwatch; nil where nothing does.
    func difference(of reader: CheckReader) -> String? {
        let refused = exchanges(.wrongProof).first { $0.probe.reader == reader.name }
        return refused.flatMap { Uniformity.difference(of: $0, to: exchanges(.unknownReader)) }
    }
}

extension Exchange {
    /// The status in the document of a refused sign-in; empty where it says none, and nil where nothing was refused.
    var refusal: String? {
        guard let root, root.isRefusal else { return nil }
        return root.attributes["status"] ?? ""
    }
}
