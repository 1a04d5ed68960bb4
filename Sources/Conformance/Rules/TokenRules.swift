import XML

/// Tokens that are not good, and the way to a good one (PROTOCOLS 1.2).
enum TokenRules {
    static let all = [forged, missing, stale, renewal, renewalEnds, renewalRefused]

    static let forged = Rule(
        "token-forged", "A made-up token opens nothing", source: "PITFALLS 10; PROTOCOLS 1.3",
        fix: "Tell a made-up token from one that was issued, without asking anybody who may be down."
    ) { evidence in
        opensNothing(evidence, .forgedToken)
    }

    static let missing = Rule(
        "token-missing", "No token opens nothing", source: "PROTOCOLS 1.3; PITFALLS 10",
        fix: "Answer state=\"stale\" to a verification, and an error to a renewal and a request for credentials."
    ) { evidence in
        opensNothing(evidence, .missingToken)
    }

    private static func opensNothing(_ evidence: Evidence, _ situation: Situation) -> Verdict {
        let asked = evidence.exchanges(situation).filter { $0.probe.call != .signOut }
        return .each(asked, none: "it was not tried") { $0.opening }
    }

    static let stale = Rule(
        "token-stale", "An expired token is stale", source: "PROTOCOLS 1.2, 1.3",
        fix: "Answer 200 with state=\"stale\": on it an app renews its token or asks for a sign-in."
    ) { evidence in
        let asked =
            evidence.verifications().filter { $0.reader.state == .stale }
            + evidence.verifications(.renewed).filter { $0.reader.renewal == .stale }
        return .of(asked, none: "no reader with an expired token is known") { _, exchange in
            guard let answer = exchange.answer else { return nil }
            if answer.status != 200 { return Finding("answered with \(answer.status)", exchange) }
            guard let word = exchange.root?.state, CheckReader.State(rawValue: word) != nil, word != "stale" else {
                return nil
            }
            return Finding("the state is \(word)", exchange)
        }
    }

    static let renewal = Rule(
        "token-renew", "A token that can be renewed gives another", source: "PROTOCOLS 1.2, 1.3",
        fix: "Answer renew_token with <token>TOKEN</token>, as sign-in does."
    ) { evidence in
        renewals(evidence, [.token, .stale]) { $0.token == nil ? "there is no token in the answer" : nil }
    }

    static let renewalEnds = Rule(
        "token-renew-loop", "The renewed token is good", source: "PROTOCOLS 1.2",
        fix: "Issue a token that verifies: an app that is given one stale token for another goes round for ever."
    ) { evidence in
        let meantGood = evidence.exchanges(.renewed).filter {
            $0.isJudged && evidence.reader($0.probe.reader)?.renewal != .stale
        }
        return .each(meantGood, none: "no token was renewed") { exchange in
            guard let answer = exchange.answer else { return nil }
            if answer.status != 200 { return "answered with \(answer.status)" }
            // Where the document can not be read, another rule says so.
            guard let root = exchange.root else { return nil }
            switch root.state {
            case nil: return "there is no state in the answer"
            case "stale": return "the state is stale again"
            case "unknown": return "the state is unknown"
            default: return nil
            }
        }
    }

    static let renewalRefused = Rule(
        "token-renew-refused", "A token that can not be renewed is refused as a sign-in is",
        source: "PROTOCOLS 1.2, 1.3",
        fix: "Answer 200 with <error status=\"notrecognised\" message=\"…\"/>; then the app asks for a sign-in."
    ) { evidence in
        renewals(evidence, [.refused]) { root in
            root.isRefusal && root.attributes["status"] == "notrecognised"
                ? nil : "there is no <error status=\"notrecognised\">"
        }
    }

    private static func renewals(
        _ evidence: Evidence, _ expected: Set<CheckReader.Renewal>, _ complaint: (XMLElement) -> String?
    ) -> Verdict {
        let asked = evidence.plain(.renewToken, .renewal).filter { asked in
            asked.exchange.isJudged && asked.reader.renewal.map { expected.contains($0) } ?? false
        }
        return .of(asked, none: "no such reader is known, or none was answered") { _, exchange in
            guard let answer = exchange.answer else { return nil }
            if answer.status != 200 { return Finding("answered with \(answer.status)", exchange) }
            return exchange.root.flatMap(complaint).map { Finding($0, exchange) }
        }
    }
}
