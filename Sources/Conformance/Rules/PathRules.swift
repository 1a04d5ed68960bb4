import XML

/// Paths and methods (PROTOCOLS 1.1).
enum PathRules {
    static let all = [slash, form, headBody, headFields, allow, unknown]

    static let slash = Rule(
        "path-slash", "A call answers the same with and without a slash at its end, and redirects neither",
        source: "PROTOCOLS 1.1, 6A row 5",
        fix: "Serve both directly: apps send the slash, the console does not, and neither follows a redirect."
    ) { evidence in
        same(evidence, [(.query, .queryWithSlash), (.form, .formWithSlash)])
    }

    static let form = Rule(
        "path-post", "A call answers the same to GET with a query and to POST with a form", source: "PROTOCOLS 1.1",
        fix: "Read parameters from the query and from the form, for every call."
    ) { evidence in
        same(evidence, [(.query, .form)])
    }

    /// Compares what pairs of spellings of one question were answered.
    private static func same(_ evidence: Evidence, _ pairs: [(Spelling, Spelling)]) -> Verdict {
        struct Question: Hashable {
            let call: Call?
            let reader: String?
            let edition: String?
        }
        var answers: [Question: [Spelling: Exchange]] = [:]
        for exchange in evidence.exchanges(.ordinary, .renewalAgain) {
            let probe = exchange.probe
            let question = Question(call: probe.call, reader: probe.reader, edition: probe.edition)
            answers[question, default: [:]][probe.spelling] = exchange
        }
        let compared = answers.values.flatMap { spelt in
            pairs.compactMap { pair -> (Exchange, Exchange)? in
                guard let first = spelt[pair.0], let second = spelt[pair.1], first.answer != nil, second.answer != nil
                else { return nil }
                return (first, second)
            }
        }.sorted {
            ($0.1.probe.call?.rawValue ?? "", $0.1.probe.method) < ($1.1.probe.call?.rawValue ?? "", $1.1.probe.method)
        }
        return .of(compared, none: "no reader is known") { first, second in
            guard let one = first.answer, let other = second.answer else { return nil }
            if one.status != other.status { return Finding("\(one.status) becomes \(other.status)", second) }
            return Gist(first) == Gist(second) ? nil : Finding("the answer says something else", second)
        }
    }

    static let headBody = Rule(
        "path-head-body", "The answer to HEAD has no body", source: "RFC 9110 section 9.3.2",
        fix: "Send the header fields alone: on a kept connection a body would be read as the next answer."
    ) { evidence in
        .eachAnswer(evidence.exchanges(.head), none: "no reader is known") { answer in
            answer.strayBytes == 0 ? nil : "\(answer.strayBytes) bytes came behind the header fields"
        }
    }

    static let headFields = Rule(
        "path-head-fields", "HEAD has the status and type that GET has", source: "RFC 9110 section 9.3.2",
        fix: "Answer HEAD by the way GET goes, and leave the body out."
    ) { evidence in
        let twins = evidence.exchanges(.head).compactMap { exchange -> (Exchange, RawAnswer, RawAnswer)? in
            let twin = evidence.exchanges(.ordinary, .renewalAgain).first {
                $0.probe.call == exchange.probe.call && $0.probe.reader == exchange.probe.reader
                    && $0.probe.spelling == .query
            }
            guard let head = exchange.answer, let get = twin?.answer else { return nil }
            return (exchange, head, get)
        }
        return .of(twins, none: "no reader is known") { exchange, head, get in
            if head.status != get.status { return Finding("\(get.status) becomes \(head.status)", exchange) }
            return head["Content-Type"] == get["Content-Type"] ? nil : Finding("Content-Type is another", exchange)
        }
    }

    static let allow = Rule(
        "path-allow", "PATCH is refused, and a 405 names the methods there are",
        source: "RFC 5789 section 2; RFC 9110 section 15.5.6",
        fix: "Answer other methods than GET, HEAD and POST with 405 and “Allow: GET, HEAD, POST”."
    ) { evidence in
        .eachAnswer(evidence.exchanges(.otherMethod), none: "no other method was answered") { answer in
            if answer.isSuccess { return "answered with \(answer.status)" }
            return answer.status == 405 && answer["Allow"] == nil ? "there is no Allow" : nil
        }
    }

    static let unknown = Rule(
        "path-unknown", "A path that is no call is not found", source: "RFC 9110 section 15.5.5",
        fix: "Answer 404 or 403: a page that says 200 is taken for an answer by whatever reads it."
    ) { evidence in
        .eachAnswer(evidence.exchanges(.unknownPath), none: "the path was not answered") { answer in
            (400..<500).contains(answer.status) ? nil : "answered with \(answer.status)"
        }
    }
}
