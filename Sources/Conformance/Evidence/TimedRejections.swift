import XML

/// The rejections of a reader's sign-ins with a wrong proof and of an unknown reader's, which were sent
/// alternately. Other responses are left out.
struct TimedRejections {
    let reader: CheckReader
    let known: [Exchange], unknown: [Exchange]
}

extension Evidence {
    /// The timed rejections of each reader that may be tried with a wrong proof, in the order of the cases.
    var timedRejections: [TimedRejections] {
        let word = usualRejection
        func rejected(isKnown: Bool) -> [Exchange] {
            exchanges(.timed(isKnown: isKnown)).filter { $0.rejection != nil && (word == nil || $0.rejection == word) }
        }
        let known = rejected(isKnown: true)
        let unknown = rejected(isKnown: false)
        return cases.triedWithWrongProof.map { reader in
            TimedRejections(
                reader: reader, known: known.filter { $0.probe.reader == reader.name },
                unknown: unknown.filter { $0.probe.reader == reader.name })
        }
    }

    /// The status with which the endpoint rejected an unknown reader before the timing began. Another status means
    /// that the endpoint rejects for another reason, such as a rate limit.
    var usualRejection: String? { exchanges(.unknownReader).lazy.compactMap(\.rejection).first }

    /// Returns the difference between the response to the reader's wrong proof and the one to an unknown reader,
    /// apart from the time; nil if there is none.
    func difference(of reader: CheckReader) -> String? {
        let rejected = exchanges(.wrongProof).first { $0.probe.reader == reader.name }
        return rejected.flatMap { Uniformity.difference(of: $0, to: exchanges(.unknownReader)) }
    }
}

extension Exchange {
    /// The status in the document of a rejected sign-in. It is empty if the document has none, and nil if nothing
    /// was rejected.
    var rejection: String? {
        guard let root, root.isRejection else { return nil }
        return root.attributes["status"] ?? ""
    }
}
