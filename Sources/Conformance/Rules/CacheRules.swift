/// Nothing in between may keep an answer (PROTOCOLS 1.2: these answers must never be cached).
enum CacheRules {
    static let all = [
        success, refusal, notFound, method, head, malformed, noStore, validators, cookies, deception, hit,
    ]

    private static let source = "PROTOCOLS 1.2; PITFALLS 16; RFC 9111 section 5.2.2"
    private static let fix =
        "Send “Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0” from one place that every answer passes, whatever made it."

    static let success = Rule(
        "cache-success", "Answers to good calls say no-cache", source: source, fix: fix
    ) { evidence in
        let asked = evidence.exchanges(.ordinary, .renewal, .renewed, .renewalAgain)
        return .eachAnswer(asked, none: "no reader is known", complaint)
    }

    static let refusal = Rule(
        "cache-refusal", "Refusals and failures say no-cache", source: source, fix: fix
    ) { evidence in
        let asked = evidence.exchanges(
            .unknownReader, .wrongProof, .unheld, .forgedToken, .missingToken, .missingProduct, .failing)
        return .eachAnswer(asked, none: "nothing was refused", complaint)
    }

    static let notFound = Rule(
        "cache-not-found", "Answers about paths that are no calls say no-cache", source: source, fix: fix
    ) { .eachAnswer($0.exchanges(.unknownPath, .fileBehindCall), none: "no such path was answered", complaint) }

    static let method = Rule(
        "cache-method", "Answers to other methods say no-cache", source: source, fix: fix
    ) { .eachAnswer($0.exchanges(.otherMethod), none: "no other method was answered", complaint) }

    static let head = Rule(
        "cache-head", "Answers to HEAD say no-cache", source: source, fix: fix
    ) { .eachAnswer($0.exchanges(.head), none: "no reader is known", complaint) }

    static let malformed = Rule(
        "cache-malformed", "Answers to malformed requests say no-cache", source: source, fix: fix
    ) { .eachAnswer($0.malformed, none: "no malformed request was answered", complaint) }

    static let noStore = Rule(
        "cache-no-store", "Answers also say no-store", source: "PITFALLS 16; RFC 9111 section 5.2.2.5",
        fix: "Add no-store: with no-cache alone a cache may write the answer to its disk and ask before it uses it."
    ) { evidence in
        // Where not even no-cache is said, another rule speaks.
        let said = evidence.direct.filter { $0.answer.map { complaint($0) == nil } ?? false }
        return .eachAnswer(said, none: "no answer says no-cache", as: .warning) { answer in
            answer.items("Cache-Control").contains("no-store") ? nil : "Cache-Control lacks no-store"
        }
    }

    static let validators = Rule(
        "cache-validators", "No answer has a validator", source: "PITFALLS 16; RFC 9111 section 4.3",
        fix:
            "Take ETag and Last-Modified away: with one of them a cache may ask whether what it kept is still good, and be told so."
    ) { evidence in
        .eachAnswer(evidence.direct, none: "nothing was answered") { answer in
            ["ETag", "Last-Modified"].first { answer[$0] != nil }.map { "the answer has \($0)" }
        }
    }

    static let cookies = Rule(
        "cache-cookies", "No answer sets a cookie", source: "PITFALLS 16",
        fix:
            "Do not start a session: the token is all that an app keeps, and a cookie that a cache hands out again is somebody else's session."
    ) { evidence in
        .eachAnswer(evidence.direct, none: "nothing was answered") { answer in
            answer["Set-Cookie"] == nil ? nil : "the answer has Set-Cookie"
        }
    }

    static let deception = Rule(
        "cache-deception", "A name that looks like a file behind a call is not found", source: "PITFALLS 16",
        fix:
            "Answer 404 for anything behind a call's name: a cache that goes by extensions would keep /verify_subscription/x.css."
    ) { evidence in
        .eachAnswer(evidence.exchanges(.fileBehindCall), none: "the path was not answered") { answer in
            (400..<500).contains(answer.status) ? nil : "answered with \(answer.status), as if it were the call"
        }
    }

    static let hit = Rule(
        "cache-hit", "No answer comes out of a cache", source: "PROTOCOLS 1.2; PITFALLS 16; RFC 9111 section 5.1",
        fix:
            "Have whatever stands in front of the endpoint pass these paths through: what it kept is somebody else's answer, or an old one."
    ) { evidence in
        .eachAnswer(evidence.direct, none: "nothing was answered") { answer in
            CacheHit.sign(of: answer).map { "the answer says so (\($0))" }
        }
    }

    /// What is wrong with what an answer says to caches; nil for nothing.
    static func complaint(_ answer: RawAnswer) -> String? {
        let directives = answer.items("Cache-Control")
        if directives.contains("no-store") || directives.contains("no-cache") { return nil }
        return directives.isEmpty
            ? "there is no Cache-Control"
            : "Cache-Control is \(Printable.quote(answer["Cache-Control"] ?? "")), with neither no-store nor no-cache"
    }
}
