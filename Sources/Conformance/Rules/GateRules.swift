/// The rules about the gate in front of the content.
///
/// Source: Edition credentials and the content gate, “Content gate”.
enum GateRules {
    static let all = [
        opens, part, closed, status, noCache, leaks, wrongPair, otherEdition, paths, privileges, isPrivate,
    ]

    static let opens = Rule(
        "gate-opens", "The right credentials open the file by GET and by HEAD",
        source: "Edition credentials and the content gate: Basic authentication check",
        fix: "Take the edition from the path, and compare the SHA-1 of edition:userid:secret with the password."
    ) { evidence in
        let requested = evidence.exchanges(.gate(.granted), .gate(.grantedHead))
        return .eachRequested(requested, none: evidence.gateSkipReason ?? "not tried") { exchange in
            guard let response = exchange.response else { return exchange.summary }
            if response.status != 200 { return "the HTTP status is \(response.status)" }
            // An HTML page in place of another file is probably a login page.
            let isPage = response.items("Content-Type").contains { $0.hasPrefix("text/html") }
            return isPage && !isPageNamed(exchange.probe.address.path) ? "the response is an HTML page" : nil
        }
    }

    static let part = Rule(
        "gate-part", "The right credentials open a part of the file",
        source: "Design rules: Downloads resume; RFC 9110 section 14.2",
        fix: "Respond to Range with 206, so that an interrupted download of 100 MB is resumed and does not start again."
    ) { evidence in
        let whole = evidence.exchanges(.gate(.granted)).first?.response
        let requested = isThere(evidence) ? evidence.exchanges(.gate(.grantedPart)) : []
        return .eachRequested(requested, none: evidence.gateSkipReason ?? "not tried") { exchange in
            guard let response = exchange.response else { return exchange.summary }
            if response.status != 206 { return "the HTTP status is \(response.status)" }
            guard let place = response["Content-Range"]?.wholeMatch(of: /bytes 0-([0-9]{1,2})\/(?:[0-9]+|\*)/),
                let last = Int(place.1), last < GateAttempt.partLength
            else { return "Content-Range does not name the requested part" }
            guard response.body.count == last + 1 else { return "the length of the part contradicts Content-Range" }
            let isCorrect = whole.map { $0.status != 200 || $0.body.starts(with: response.body) } ?? true
            return isCorrect ? nil : "the part differs from the beginning of the file"
        }
    }

    /// Returns whether the gate responded at all. A single rule reports a gate that is unavailable.
    private static func isThere(_ evidence: Evidence) -> Bool { evidence.gate.contains { $0.response != nil } }

    /// Returns whether the path may name a page: it has an HTML extension or none.
    private static func isPageNamed(_ path: String) -> Bool {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        return parts.count < 2 || parts.last.map { $0.lowercased().contains("htm") } ?? true
    }

    static let closed = Rule(
        "gate-closed", "No file opens without credentials",
        source: "Edition credentials and the content gate: Basic authentication check",
        fix: "Refuse every request without credentials before any other check."
    ) { evidence in
        evaluate(evidence, [.noCredentials, .partWithoutCredentials, .headWithoutCredentials], opened)
    }

    static let status = Rule(
        "gate-403", "A refusal is 403, never 401 or a redirect",
        source: "Edition credentials and the content gate: Refusals are 403",
        fix: "Return 403 without WWW-Authenticate."
    ) { evidence in
        let isThere = isThere(evidence)
        let denied = evidence.gate.filter { exchange in
            guard case .gate(let attempt) = exchange.probe.purpose, attempt.isRejection else { return false }
            return exchange.response.map { !$0.isSuccess } ?? isThere
        }
        return .eachRequested(denied, none: evidence.gateSkipReason ?? "no refusal was received") { exchange in
            guard let response = exchange.response else { return exchange.summary }
            if response["WWW-Authenticate"] != nil { return "the response has WWW-Authenticate" }
            // A path with several readings may be a bad request or name no file.
            if case .gate(.pathConfusion) = exchange.probe.purpose, (400..<500).contains(response.status),
                response.status != 401
            {
                return nil
            }
            return response.status == 403 ? nil : "the HTTP status is \(response.status)"
        }
    }

    static let noCache = Rule(
        "gate-no-cache", "A refusal forbids caching",
        source: "Edition credentials and the content gate: Caching headers of refusals; Pitfall 16",
        fix: "Send “Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0” with every refusal."
    ) { evidence in
        .eachResponse(denials(evidence), none: evidence.gateSkipReason ?? "no refusal was received", CacheRules.problem)
    }

    static let leaks = Rule(
        "gate-leaks", "A refusal reveals nothing about the file", source: "Pitfall 17",
        fix:
            "Remove ETag, Last-Modified, Content-Range and Accept-Ranges from refusals. Check credentials before "
            + "conditions and ranges."
    ) { evidence in
        .eachResponse(denials(evidence), none: evidence.gateSkipReason ?? "no refusal was received") { response in
            ["ETag", "Last-Modified", "Content-Range", "Accept-Ranges"].first { response[$0] != nil }
                .map { "the response has \($0)" }
        }
    }

    static let wrongPair = Rule(
        "gate-wrong-password", "Almost correct credentials open no file", source: "Pitfall 4; Pitfall 5",
        fix: "Compare all 40 digits, byte by byte and in constant time. Accept no empty userid and no empty password."
    ) { evidence in
        evaluateAttempts(evidence) { attempt in
            if case .wrongPair(let title) = attempt { title } else { nil }
        }
    }

    static let otherEdition = Rule(
        "gate-edition", "The credentials of one edition do not open another",
        source: "Edition credentials and the content gate: Basic authentication check",
        fix: "Take the edition from the path that is served, not from another value of the request."
    ) { evidence in
        evaluate(evidence, [.otherEdition], none: withoutOther(evidence), opened)
    }

    static let paths = Rule(
        "gate-paths", "Another spelling of a path gives no further access", source: "Pitfall 2",
        fix:
            "Normalise the path once, take the edition from it, and serve exactly this path. Refuse a path that cannot "
            + "be normalised."
    ) { evidence in
        evaluateAttempts(evidence, none: withoutOther(evidence)) { attempt in
            if case .pathConfusion(let title) = attempt { title } else { nil }
        }
    }

    /// Returns the reason why the credentials of another edition were not tried.
    private static func withoutOther(_ evidence: Evidence) -> String {
        Set(evidence.granted.map(\.edition)).count == 1
            ? "credentials were issued for one edition only; a reader who holds another edition is needed" : "not tried"
    }

    static let privileges = Rule(
        "gate-privileges", "No header gives access without credentials",
        source: "Pitfall 11; Pitfall 12; Edition credentials and the content gate: User agent bypass; "
            + "Edition credentials and the content gate: Address of the client",
        fix: "Ignore the user agent, and accept forwarded addresses only from your own proxies."
    ) { evidence in
        evaluateAttempts(evidence) { attempt in
            if case .privileged(let title) = attempt { title } else { nil }
        }
    }

    static let isPrivate = Rule(
        "gate-private", "An opened file must not be stored by shared caches",
        source: "Pitfall 16; RFC 9111 section 3.5",
        fix:
            "Send “Cache-Control: private”, and neither public nor s-maxage: with one of them, a cache may serve the "
            + "file to any client."
    ) { evidence in
        evaluate(evidence, [.granted, .grantedPart, .grantedHead]) { response in
            guard response.isSuccess else { return nil }
            let directive = response.items("Cache-Control").first { $0 == "public" || $0.hasPrefix("s-maxage") }
            return directive.map { "Cache-Control has \(Printable.quote($0))" }
        }
    }

    private static func opened(_ response: ReceivedResponse) -> String? {
        response.isSuccess ? "the HTTP status is \(response.status)" : nil
    }

    private static func denials(_ evidence: Evidence) -> [Exchange] {
        evidence.gate.filter { exchange in
            guard case .gate(let attempt) = exchange.probe.purpose, attempt.isRejection else { return false }
            return exchange.response?.isSuccess == false
        }
    }

    private static func evaluate(
        _ evidence: Evidence, _ attempts: [GateAttempt], none reason: String = "not tried",
        _ problem: (ReceivedResponse) -> String?
    ) -> Verdict {
        let requested = evidence.gate.filter { exchange in attempts.contains { exchange.probe.purpose == .gate($0) } }
        return .eachResponse(requested, none: evidence.gateSkipReason ?? reason, problem)
    }

    /// Judges attempts that should be denied, each with its title.
    private static func evaluateAttempts(
        _ evidence: Evidence, none reason: String = "not tried", _ title: (GateAttempt) -> String?
    ) -> Verdict {
        let requested = evidence.gate.compactMap { exchange -> (Exchange, String)? in
            guard case .gate(let attempt) = exchange.probe.purpose, exchange.response != nil else { return nil }
            return title(attempt).map { (exchange, $0) }
        }
        return .of(requested, none: evidence.gateSkipReason ?? reason) { exchange, title in
            guard let response = exchange.response, response.isSuccess else { return nil }
            return Finding("\(title): the HTTP status is \(response.status)", exchange)
        }
    }
}
