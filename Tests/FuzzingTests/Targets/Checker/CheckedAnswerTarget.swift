import XML

@testable import Conformance

extension FuzzTarget {
    /// What a stranger's server sends to `gatefold check`.
    static let checkedAnswer = FuzzTarget(
        "checked-answer", upTo: 1024, of: "AnswerParser", "RawAnswer", "DocumentReading", "CacheHit", "HeaderElement",
        "Printable", "CacheRules", "Uniformity", "RelaxNGSchema"
    ) { bytes in
        for isHead in [false, true] {
            var whole = AnswerParser(isAnswerToHead: isHead, longestBody: 64)
            whole.append(bytes)
            var parts = AnswerParser(isAnswerToHead: isHead, longestBody: 64)
            for piece in pieces(bytes) {
                parts.append(piece)
                _ = parts.outcome(hasEnded: false)
            }
            let outcome = whole.outcome(hasEnded: true)
            promise(parts.outcome(hasEnded: true) == outcome, "pieces are read as something else")
            guard case .complete(let answer) = outcome else { continue }
            promise(answer.body.count <= 64, "more of a body was kept than was asked for")
            look(at: answer)
        }
    }

    private static func look(at answer: RawAnswer) {
        _ = CacheHit.sign(of: answer)
        promise(
            CacheRules.complaint(answer) != nil || answer.fields.contains { $0.name.lowercased() == "cache-control" },
            "an answer says nothing to caches, and passes")
        promise(Uniformity.difference(of: answer, to: [answer]) == nil, "an answer is unlike itself")
        _ = Conformance.TextEncoding.fault(in: answer)
        let probe = Probe(.ordinary, .verifySubscription, [], at: endpoint)
        guard let root = DocumentReading(answer, to: probe)?.root else { return }
        for element in [root] + root.children { _ = HeaderElement.fault(in: element) }
        guard let faults = try? schema.errors(in: answer.body) else { return }
        promise(!faults.isEmpty || root.name == "subscription", "another document is a subscription to its schema")
    }

    private static let schema = ready { try RelaxNGSchema(PugpigSchemas.subscription) }

    private static let endpoint = Endpoint(root: Address("http://h.example/")!)
}
