import XML

@testable import Conformance

extension FuzzTarget {
    /// What a stranger's server sends to `gatefold check`.
    static let checkedAnswer = FuzzTarget(
        "checked-answer", upTo: 1024, of: "AnswerParser", "RawAnswer", "DocumentReading", "CacheHit", "HeaderElement",
        "Printable", "CacheRules", "Uniformity", "Comments", "Trace", "RelaxNGSchema", "MarkupCount",
        "Redaction", "PugpigSchemas", "RepeatedInput"
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
        for element in [root] + root.children {
            _ = HeaderElement.fault(in: element)
            for field in HeaderElement.fields(of: element) {
                promise(!(field.name + field.value).contains { $0.isNewline }, "a field has lines")
            }
        }
        let (elements, attributes) = total(root)
        let count = MarkupCount(answer.body)
        promise(count.elements >= elements && count.attributes >= attributes, "markup is read that was not counted")
        for call in Call.allCases { _ = try? schemas.errors(in: answer.body, of: call) }
        guard let faults = try? schemas.errors(in: answer.body, of: .verifySubscription) else { return }
        promise(!faults.isEmpty || root.name == "subscription", "another document is a subscription to its schema")
    }

    private static func total(_ element: XMLElement) -> (elements: Int, attributes: Int) {
        element.children.map(total).reduce((1, element.attributes.count)) { ($0.0 + $1.elements, $0.1 + $1.attributes) }
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
        let told = Redaction([Array(text.utf8)]).hidden(String(decoding: answer.body, as: UTF8.self))
        let input = RepeatedInput(of: [Field("username", text)], as: [Field("username", "sesame")])
        promise(input.exchanged(in: answer, like: answer) != answer, "what a reader typed is left in an answer")
        let same = RepeatedInput(of: [Field("username", text)], as: [Field("username", text)])
        promise(same.exchanged(in: answer, like: answer) == answer, "an answer is changed to itself")
        // What stands in its place could be a part of it.
        let isTold = Array(told.utf8).firstRange(of: Array(text.utf8)) != nil
        promise(!isTold || text.contains("…"), "what is secret is told")
    }

    private static let schemas = ready { try PugpigSchemas() }

    private static let endpoint = Endpoint(root: Address("http://h.example/")!)
}
