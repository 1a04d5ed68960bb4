import XML

@testable import Conformance

extension FuzzTarget {
    /// A foreign server's response to `gatefold check`.
    static let checkedResponse = FuzzTarget(
        "checked-response", upTo: 1024, of: "ResponseParser", "ReceivedResponse", "DocumentReading", "CacheHit",
        "HeaderElement",
        "Printable", "CacheRules", "Uniformity", "Comments", "TextSearch", "RelaxNGSchema", "MarkupCount",
        "Redaction", "PugpigSchemas", "EchoedInput"
    ) { bytes in
        for isHead in [false, true] {
            var whole = ResponseParser(isResponseToHead: isHead, maxBodySize: 64)
            whole.append(bytes)
            var parts = ResponseParser(isResponseToHead: isHead, maxBodySize: 64)
            for piece in pieces(bytes) {
                parts.append(piece)
                _ = parts.outcome(hasEnded: false)
            }
            let outcome = whole.outcome(hasEnded: true)
            promise(parts.outcome(hasEnded: true) == outcome, "parsing in pieces differs from parsing at once")
            guard case .complete(let response) = outcome else { continue }
            promise(response.body.count <= 64, "more of a body was stored than requested")
            examine(at: response)
        }
    }

    private static func examine(at response: ReceivedResponse) {
        _ = CacheHit.sign(of: response)
        promise(
            CacheRules.problem(response) != nil || response.fields.contains { $0.name.lowercased() == "cache-control" },
            "a response without cache headers passed")
        promise(Uniformity.difference(of: response, to: [response]) == nil, "a response differs from itself")
        _ = Conformance.TextEncoding.fault(in: response)
        let probe = Probe(.ordinary, .verifySubscription, [], at: endpoint)
        compare(response)
        find(in: Exchange(probe, .success(response)))
        guard let root = DocumentReading(response, to: probe)?.root else { return }
        for element in [root] + root.children {
            _ = HeaderElement.fault(in: element)
            for field in HeaderElement.fields(of: element) {
                promise(!(field.name + field.value).contains { $0.isNewline }, "a field contains a line break")
            }
        }
        let (elements, attributes) = total(root)
        let count = MarkupCount(response.body)
        promise(count.elements >= elements && count.attributes >= attributes, "parsed markup was not counted")
        for call in Call.allCases { _ = try? schemas.errors(in: response.body, of: call) }
        guard let faults = try? schemas.errors(in: response.body, of: .verifySubscription) else { return }
        promise(!faults.isEmpty || root.name == "subscription", "the schema of subscriptions accepts another document")
    }

    private static func total(_ element: XMLElement) -> (elements: Int, attributes: Int) {
        element.children.map(total).reduce((1, element.attributes.count)) { ($0.0 + $1.elements, $0.1 + $1.attributes) }
    }

    /// Compares the response with similar ones.
    private static func compare(_ response: ReceivedResponse) {
        var longer = response
        longer.body += Array(" x".utf8)
        promise(Uniformity.difference(of: longer, to: [response]) != nil, "an additional word was not detected")
        var remarked = response
        remarked.body += Array("<!-- 1 2 -->".utf8)
        // The number of words in comments varies, so the comparison excludes comments.
        promise(
            Uniformity.difference(of: response, to: [response, remarked, longer]) == nil,
            "a response differs from all of a set that contains it"
        )
        _ = Uniformity.difference(of: longer, to: [response, remarked])
        let text = String(decoding: response.body, as: UTF8.self)
        promise(Comments.removed(from: text).utf8.count <= text.utf8.count, "removing comments added text")
    }

    /// Checks that a text at the start of the response is found, and redacted everywhere.
    private static func find(in exchange: Exchange) {
        guard let response = exchange.response else { return }
        _ = TextSearch.place(of: "sesame", in: exchange, without: ["token", "userid"])
        let beginning = Array(response.body.prefix(8))
        guard beginning.count == 8, let text = String(validating: beginning, as: UTF8.self) else { return }
        promise(
            TextSearch.place(of: text, in: exchange, without: []) != nil,
            "the response does not contain its own beginning")
        let reported = Redaction([Array(text.utf8)]).hidden(String(decoding: response.body, as: UTF8.self))
        let input = EchoedInput(of: [Field("username", text)], as: [Field("username", "sesame")])
        promise(input.exchanged(in: response, like: response) != response, "typed text remained in a response")
        let same = EchoedInput(of: [Field("username", text)], as: [Field("username", text)])
        promise(
            same.exchanged(in: response, like: response) == response, "a response was reported as changed but is equal")
        // The replacement could contain the text as well.
        let isReported = Array(reported.utf8).firstRange(of: Array(text.utf8)) != nil
        promise(!isReported || text.contains("…"), "a secret was not redacted")
    }

    private static let schemas = ready { try PugpigSchemas() }

    private static let endpoint = Endpoint(root: Address("http://h.example/")!)
}
