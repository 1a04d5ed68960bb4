import XML

@testable import Conformance

extension FuzzTarget {
    /// What a stranger's server sends to `gatefold check`.
    static let checkedAnswer = FuzzTarget(
        "checked-answer", upTo: 1024, of: "AnswerParser", "RawAnswer", "DocumentReading", "CacheHit", "HeaderElement",
        "Printable", "CacheRules", "Uniformity", "Comments", "Trace", "RelaxNGSchema"
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
        compare(answer)
        find(in: Exchange(probe, .success(answer)))
        guard let root = DocumentReading(answer, to: probe)?.root else { return }
        for element in [root] + root.children { _ = HeaderElement.fault(in: element) }
        guard let faults = try? schema.errors(in: answer.body) else { return }
        promise(!faults.isEmpty || root.name == "subscription", "another document is a subscription to its schema")
    }

    /// With answers that are nearly the same.
    private static func compare(_ answer: RawAnswer) {
        var longer = answer
        longer.body += Array(" x".utf8)
        promise(Uniformity.difference(of: longer, to: [answer]) != nil, "a word too many is not noticed")
        var remarked = answer
        remarked.body += Array("<!-- 1 2 -->".utf8)
        // Its numbers of words vary, so that only what is no comment is compared.
        promise(
            Uniformity.difference(of: answer, to: [answer, remarked, longer]) == nil, "an answer is none of several")
        _ = Uniformity.difference(of: longer, to: [answer, remarked])
        let text = String(decoding: answer.body, as: UTF8.self)
        promise(Comments.removed(from: text).utf8.count <= text.utf8.count, "taking comments away adds something")
    }

    /// What stands in it.
    private static func find(in exchange: Exchange) {
        guard let answer = exchange.answer else { return }
        _ = Trace.place(of: "sesame", in: exchange, without: ["token", "userid"])
        let beginning = Array(answer.body.prefix(8))
        guard beginning.count == 8, let text = String(validating: beginning, as: UTF8.self) else { return }
        promise(Trace.place(of: text, in: exchange, without: []) != nil, "what an answer begins with is not in it")
    }

    private static let schema = ready { try RelaxNGSchema(PugpigSchemas.subscription) }

    private static let endpoint = Endpoint(root: Address("http://h.example/")!)
}
