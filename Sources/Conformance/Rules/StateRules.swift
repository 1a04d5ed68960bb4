import XML

/// The rules about a reader's state at sign-in and verification.
///
/// Source: Pugpig protocol, “Sign-in proves identity only” and “Subscription states”.
enum StateRules {
    static let all = [signsIn, lapsedSignsIn, known, expected]

    static let signsIn = Rule(
        "state-sign-in", "A reader's right credentials return a token", source: "Pugpig protocol: Sign in and renew",
        fix: "Return <token>TOKEN</token>. Check the field names and the credentials of the case."
    ) { evidence in
        signIns(evidence) { $0.state == nil || $0.state == .active }
    }

    static let lapsedSignsIn = Rule(
        "state-lapsed-sign-in", "A lapsed reader's right credentials also return a token",
        source: "Pugpig protocol: Sign-in proves identity only",
        fix:
            "Ignore the subscription at sign-in: a lapsed reader may still hold editions, and verification reports the "
            + "state. Check the credentials of the case."
    ) { evidence in
        signIns(evidence) { $0.state != nil && $0.state != .active }
    }

    private static func signIns(_ evidence: Evidence, _ isMeant: (CheckReader) -> Bool) -> Verdict {
        let requested = evidence.plain(.signIn).filter { isMeant($0.reader) && $0.exchange.isEvaluable }
        return .of(requested, none: "no such reader is known, or no response was received") { _, exchange in
            if let status = exchange.response?.status, status != 200 {
                return Finding("the HTTP status is \(status)", exchange)
            }
            guard exchange.root?.token == nil else { return nil }
            let value = exchange.root?.error?.attributes["status"].map { ", but the error \(Printable.quote($0))" }
            return Finding("the response has no token\(value ?? "")", exchange)
        }
    }

    static let known = Rule(
        "state-known", "The state is unknown, active, inactive, suspended or stale",
        source: "Pugpig protocol: Subscription states",
        fix: "Use one of the five values; the test console takes any other value for an error."
    ) { evidence in
        let reported = evidence.direct.filter { $0.root?.state != nil }
        return .each(reported, none: "no response to a verification was received") { exchange in
            let value = exchange.root?.state ?? ""
            return CheckReader.State(rawValue: value) == nil ? "the state is \(Printable.quote(value))" : nil
        }
    }

    static let expected = Rule(
        "state-expected", "Each reader's state is that of the case",
        source: "Pugpig protocol: Subscription states; Pugpig test endpoint and test console: Test users",
        fix: "Check whether the subscriber system or the case is wrong."
    ) { evidence in
        let requested = evidence.verifications().filter { $0.reader.state != nil && $0.reader.state != .stale }
        return .of(requested, none: "no case has a state") { reader, exchange in
            guard let value = exchange.root?.state, CheckReader.State(rawValue: value) != nil else {
                guard let response = exchange.response, response.status != 200 else { return nil }
                return Finding("the HTTP status is \(response.status)", exchange)
            }
            guard let state = reader.state, value != state.rawValue else { return nil }
            return Finding("the state is \(value), not \(state.rawValue)", exchange)
        }
    }
}
