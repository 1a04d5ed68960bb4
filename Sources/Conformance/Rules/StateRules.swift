import XML

/// What sign-in and verification say about a reader (PROTOCOLS 1.2).
enum StateRules {
    static let all = [signsIn, lapsedSignsIn, known, expected]

    static let signsIn = Rule(
        "state-sign-in", "A reader's right credentials give a token", source: "PROTOCOLS 1.2",
        fix: "Answer <token>TOKEN</token>; look whether the field names and the credentials of the case are right."
    ) { evidence in
        signIns(evidence) { $0.state == nil || $0.state == .active }
    }

    static let lapsedSignsIn = Rule(
        "state-lapsed-sign-in", "A lapsed reader's right credentials give a token as well",
        source: "PROTOCOLS 1.2: sign-in proves identity, not entitlement",
        fix:
            "Do not look at the subscription at sign-in: a lapsed reader may still hold editions, and verification says the rest. Look whether the credentials of the case are right."
    ) { evidence in
        signIns(evidence) { $0.state != nil && $0.state != .active }
    }

    private static func signIns(_ evidence: Evidence, _ isMeant: (CheckReader) -> Bool) -> Verdict {
        let asked = evidence.plain(.signIn).filter { isMeant($0.reader) && $0.exchange.isJudged }
        return .of(asked, none: "no such reader is known, or none was answered") { _, exchange in
            if let status = exchange.answer?.status, status != 200 {
                return Finding("answered with \(status)", exchange)
            }
            guard exchange.root?.token == nil else { return nil }
            let word = exchange.root?.error?.attributes["status"].map { ", but an error: \(Printable.quote($0))" }
            return Finding("there is no token in the answer\(word ?? "")", exchange)
        }
    }

    static let known = Rule(
        "state-known", "The state is unknown, active, inactive, suspended or stale", source: "PROTOCOLS 1.2",
        fix: "Use one of the five words; the console takes any other for an error."
    ) { evidence in
        let told = evidence.direct.filter { $0.root?.state != nil }
        return .each(told, none: "no verification was answered") { exchange in
            let word = exchange.root?.state ?? ""
            return CheckReader.State(rawValue: word) == nil ? "the state is \(Printable.quote(word))" : nil
        }
    }

    static let expected = Rule(
        "state-expected", "Each reader's state is the one that the case says", source: "PROTOCOLS 1.2, 1.3",
        fix: "Find out who is right, the subscriber system or the file of cases."
    ) { evidence in
        let asked = evidence.verifications().filter { $0.reader.state != nil && $0.reader.state != .stale }
        return .of(asked, none: "of no reader is the state known") { reader, exchange in
            guard let word = exchange.root?.state, CheckReader.State(rawValue: word) != nil else {
                guard let answer = exchange.answer, answer.status != 200 else { return nil }
                return Finding("answered with \(answer.status)", exchange)
            }
            guard let state = reader.state, word != state.rawValue else { return nil }
            return Finding("the state is \(word), not \(state.rawValue)", exchange)
        }
    }
}
