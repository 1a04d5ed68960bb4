import XML

/// The rules about paths and methods.
///
/// Source: Pugpig protocol, “Calls and paths”.
enum PathRules {
    static let all = [slash, form, headBody, headFields, allow, unknown]

    static let slash = Rule(
        "path-slash", "A call responds identically with and without a final slash, and redirects neither",
        source: "Pugpig protocol: Paths with and without a final slash",
        fix: "Serve both spellings directly: apps send the slash, the test console does not, and neither follows a "
            + "redirect."
    ) { evidence in
        same(evidence, [(.query, .queryWithSlash), (.form, .formWithSlash)])
    }

    static let form = Rule(
        "path-post", "A call responds identically to GET with a query and to POST with a form",
        source: "Pugpig protocol: GET and POST",
        fix: "Read parameters from the query and from the form, for every call."
    ) { evidence in
        same(evidence, [(.query, .form)])
    }

    /// Compares the responses to pairs of spellings of the same request.
    private static func same(_ evidence: Evidence, _ pairs: [(RequestStyle, RequestStyle)]) -> Verdict {
        struct ComparedCall: Hashable {
            let call: Call?
            let reader: String?
            let edition: String?
        }
        var responses: [ComparedCall: [RequestStyle: Exchange]] = [:]
        for exchange in evidence.exchanges(.ordinary, .renewalAgain) {
            let probe = exchange.probe
            let comparedCall = ComparedCall(call: probe.call, reader: probe.reader, edition: probe.edition)
            responses[comparedCall, default: [:]][probe.requestStyle] = exchange
        }
        let compared = responses.values.flatMap { spelt in
            pairs.compactMap { pair -> (Exchange, Exchange)? in
                guard let first = spelt[pair.0], let second = spelt[pair.1], first.response != nil,
                    second.response != nil
                else { return nil }
                return (first, second)
            }
        }.sorted {
            ($0.1.probe.call?.rawValue ?? "", $0.1.probe.method) < ($1.1.probe.call?.rawValue ?? "", $1.1.probe.method)
        }
        return .of(compared, none: "no reader is known") { first, second in
            guard let one = first.response, let other = second.response else { return nil }
            if one.status != other.status {
                return Finding("the HTTP status changes from \(one.status) to \(other.status)", second)
            }
            return Summary(first) == Summary(second) ? nil : Finding("the content differs", second)
        }
    }

    static let headBody = Rule(
        "path-head-body", "A response to HEAD has no body", source: "RFC 9110 section 9.3.2",
        fix: "Send only the header fields: on a persistent connection, the client reads a body as the next response."
    ) { evidence in
        .eachResponse(evidence.exchanges(.head), none: "no reader is known") { response in
            response.strayBytes == 0 ? nil : "\(response.strayBytes) bytes follow the header fields"
        }
    }

    static let headFields = Rule(
        "path-head-fields", "HEAD has the same status and type as GET", source: "RFC 9110 section 9.3.2",
        fix: "Process HEAD like GET, and leave the body out."
    ) { evidence in
        let twins = evidence.exchanges(.head).compactMap {
            exchange -> (Exchange, ReceivedResponse, ReceivedResponse)? in
            let twin = evidence.exchanges(.ordinary, .renewalAgain).first {
                $0.probe.call == exchange.probe.call && $0.probe.reader == exchange.probe.reader
                    && $0.probe.requestStyle == .query
            }
            guard let head = exchange.response, let get = twin?.response else { return nil }
            return (exchange, head, get)
        }
        return .of(twins, none: "no reader is known") { exchange, head, get in
            if head.status != get.status {
                return Finding("the HTTP status changes from \(get.status) to \(head.status)", exchange)
            }
            return head["Content-Type"] == get["Content-Type"] ? nil : Finding("Content-Type differs", exchange)
        }
    }

    static let allow = Rule(
        "path-allow", "PATCH is rejected, and a 405 names the allowed methods",
        source: "RFC 5789 section 2; RFC 9110 section 15.5.6",
        fix: "Return 405 with “Allow: GET, HEAD, POST” for other methods than GET, HEAD and POST."
    ) { evidence in
        .eachResponse(evidence.exchanges(.otherMethod), none: "no response to another method was received") {
            response in
            if response.isSuccess { return "the HTTP status is \(response.status)" }
            return response.status == 405 && response["Allow"] == nil ? "Allow is missing" : nil
        }
    }

    static let unknown = Rule(
        "path-unknown", "An unknown path is not found", source: "RFC 9110 section 15.5.5",
        fix: "Return 404 or 403: a client takes a page with the status 200 for the response to a call."
    ) { evidence in
        .eachResponse(evidence.exchanges(.unknownPath), none: "no response to the path was received") { response in
            (400..<500).contains(response.status) ? nil : "the HTTP status is \(response.status)"
        }
    }
}
