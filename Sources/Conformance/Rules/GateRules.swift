/// What stands in front of the content (PROTOCOLS 1.5).
enum GateRules {
    static let all = [
        opens, part, closed, status, noCache, leaks, wrongPair, otherEdition, paths, privileges, isPrivate,
    ]

    static let opens = Rule(
        "gate-opens", "The right credentials open the file, by GET and by HEAD", source: "PROTOCOLS 1.5",
        fix: "Take the edition from the path, and compare the SHA-1 of edition:userid:secret with the password."
    ) { evidence in
        let asked = evidence.exchanges(.gate(.granted), .gate(.grantedHead))
        return .eachAsked(asked, none: evidence.gateGap ?? "it was not tried") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if answer.status != 200 { return "answered with \(answer.status)" }
            // A page where no page was asked for is what a login box looks like from outside.
            let isPage = answer.items("Content-Type").contains { $0.hasPrefix("text/html") }
            return isPage && !isPageNamed(exchange.probe.address.path) ? "answered with a page of HTML" : nil
        }
    }

    static let part = Rule(
        "gate-part", "The right credentials open a part of the file",
        source: "DESIGN “The gate”; RFC 9110 section 14.2",
        fix: "Answer Range with 206: an edition of 100 MB that was interrupted is resumed, not begun again."
    ) { evidence in
        let whole = evidence.exchanges(.gate(.granted)).first?.answer
        let asked = isThere(evidence) ? evidence.exchanges(.gate(.grantedPart)) : []
        return .eachAsked(asked, none: evidence.gateGap ?? "it was not tried") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if answer.status != 206 { return "answered with \(answer.status)" }
            guard let place = answer["Content-Range"]?.wholeMatch(of: /bytes 0-([0-9]{1,2})\/(?:[0-9]+|\*)/),
                let last = Int(place.1), last < GateAttempt.partLength
            else { return "Content-Range does not say that it is the part" }
            guard answer.body.count == last + 1 else { return "it is not as long as Content-Range says" }
            let isRight = whole.map { $0.status != 200 || $0.body.starts(with: answer.body) } ?? true
            return isRight ? nil : "it is not what the file begins with"
        }
    }

    /// Whether anything was answered: of a gate that is away one rule alone speaks.
    private static func isThere(_ evidence: Evidence) -> Bool { evidence.gate.contains { $0.answer != nil } }

    /// Whether what the path names may well be a page: it ends as one, or says nothing of its type.
    private static func isPageNamed(_ path: String) -> Bool {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        return parts.count < 2 || parts.last.map { $0.lowercased().contains("htm") } ?? true
    }

    static let closed = Rule(
        "gate-closed", "Without credentials nothing opens", source: "PROTOCOLS 1.5",
        fix: "Refuse whatever has no credentials, before anything else is looked at."
    ) { evidence in
        judge(evidence, [.noCredentials, .partWithoutCredentials, .headWithoutCredentials], opened)
    }

    static let status = Rule(
        "gate-403", "A refusal is a 403, never a 401 or a redirect",
        source: "PROTOCOLS 1.5: a 401 opens a login box, and stops a download in the background",
        fix: "Answer 403 without WWW-Authenticate."
    ) { evidence in
        let isThere = isThere(evidence)
        let refused = evidence.gate.filter { exchange in
            guard case .gate(let attempt) = exchange.probe.situation, attempt.isRefusal else { return false }
            return exchange.answer.map { !$0.isSuccess } ?? isThere
        }
        return .eachAsked(refused, none: evidence.gateGap ?? "nothing was refused") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if answer["WWW-Authenticate"] != nil { return "the answer has WWW-Authenticate" }
            // A path that can not be read one way may be a bad request, or name nothing.
            if case .gate(.pathTrick) = exchange.probe.situation, (400..<500).contains(answer.status),
                answer.status != 401
            {
                return nil
            }
            return answer.status == 403 ? nil : "answered with \(answer.status)"
        }
    }

    static let noCache = Rule(
        "gate-no-cache", "A refusal says no-cache", source: "PROTOCOLS 1.5; PITFALLS 16",
        fix: "Send “Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0” with every refusal."
    ) { evidence in
        .eachAnswer(refusals(evidence), none: evidence.gateGap ?? "nothing was refused", CacheRules.complaint)
    }

    static let leaks = Rule(
        "gate-leaks", "A refusal tells nothing about the file", source: "PITFALLS 17",
        fix:
            "Leave ETag, Last-Modified, Content-Range and Accept-Ranges out of refusals; check credentials before conditions and ranges."
    ) { evidence in
        .eachAnswer(refusals(evidence), none: evidence.gateGap ?? "nothing was refused") { answer in
            ["ETag", "Last-Modified", "Content-Range", "Accept-Ranges"].first { answer[$0] != nil }
                .map { "the answer has \($0)" }
        }
    }

    static let wrongPair = Rule(
        "gate-wrong-password", "A pair that is nearly right opens nothing", source: "PITFALLS 4, 5",
        fix: "Compare all forty digits, byte by byte and in constant time; take no empty part."
    ) { evidence in
        judgeAttempts(evidence) { attempt in
            if case .wrongPair(let title) = attempt { title } else { nil }
        }
    }

    static let otherEdition = Rule(
        "gate-edition", "The credentials of one edition do not open another", source: "PROTOCOLS 1.5",
        fix: "Take the edition from the path that is served, not from what the client says."
    ) { evidence in
        judge(evidence, [.otherEdition], none: withoutOther(evidence), opened)
    }

    static let paths = Rule(
        "gate-paths", "A path spelt another way opens nothing more", source: "PITFALLS 2",
        fix:
            "Bring the path into one form once, take the edition from it, and serve exactly that; refuse what has no such form."
    ) { evidence in
        judgeAttempts(evidence, none: withoutOther(evidence)) { attempt in
            if case .pathTrick(let title) = attempt { title } else { nil }
        }
    }

    /// Why the credentials of another edition were not tried.
    private static func withoutOther(_ evidence: Evidence) -> String {
        Set(evidence.granted.map(\.edition)).count == 1
            ? "credentials were given for one edition alone; a reader who holds another is needed" : "it was not tried"
    }

    static let privileges = Rule(
        "gate-privileges", "Nobody gets in by saying who they are", source: "PITFALLS 11, 12; PROTOCOLS 1.5",
        fix: "Take the check of the user agent out, and believe forwarded addresses from your own proxies alone."
    ) { evidence in
        judgeAttempts(evidence) { attempt in
            if case .privileged(let title) = attempt { title } else { nil }
        }
    }

    static let isPrivate = Rule(
        "gate-private", "What is opened is not for shared caches", source: "PITFALLS 16; RFC 9111 section 3.5",
        fix:
            "Send “Cache-Control: private”, and neither public nor s-maxage: they let a cache hand the file to anybody."
    ) { evidence in
        judge(evidence, [.granted, .grantedPart, .grantedHead]) { answer in
            guard answer.isSuccess else { return nil }
            let word = answer.items("Cache-Control").first { $0 == "public" || $0.hasPrefix("s-maxage") }
            return word.map { "Cache-Control has \(Printable.quote($0))" }
        }
    }

    private static func opened(_ answer: RawAnswer) -> String? {
        answer.isSuccess ? "answered with \(answer.status)" : nil
    }

    private static func refusals(_ evidence: Evidence) -> [Exchange] {
        evidence.gate.filter { exchange in
            guard case .gate(let attempt) = exchange.probe.situation, attempt.isRefusal else { return false }
            return exchange.answer?.isSuccess == false
        }
    }

    private static func judge(
        _ evidence: Evidence, _ attempts: [GateAttempt], none reason: String = "it was not tried",
        _ complaint: (RawAnswer) -> String?
    ) -> Verdict {
        let asked = evidence.gate.filter { exchange in attempts.contains { exchange.probe.situation == .gate($0) } }
        return .eachAnswer(asked, none: evidence.gateGap ?? reason, complaint)
    }

    /// Attempts that are to be refused, each with a title.
    private static func judgeAttempts(
        _ evidence: Evidence, none reason: String = "it was not tried", _ title: (GateAttempt) -> String?
    ) -> Verdict {
        let asked = evidence.gate.compactMap { exchange -> (Exchange, String)? in
            guard case .gate(let attempt) = exchange.probe.situation, exchange.answer != nil else { return nil }
            return title(attempt).map { (exchange, $0) }
        }
        return .of(asked, none: evidence.gateGap ?? reason) { exchange, title in
            guard let answer = exchange.answer, answer.isSuccess else { return nil }
            return Finding("\(title): answered with \(answer.status)", exchange)
        }
    }
}
