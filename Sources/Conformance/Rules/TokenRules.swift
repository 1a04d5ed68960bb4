import XML

/// The rules about invalid tokens and about renewal.
///
/// Source: Pugpig protocol, “Sign in and renew” and “Stale tokens”.
enum TokenRules {
    static let all = [forged, missing, stale, renewal, renewalEnds, renewalRejected]

    static let forged = Rule(
        "token-forged", "A made-up token gives no access",
        source: "Pitfall 10; Pugpig test endpoint and test console: Test users",
        fix: "Distinguish made-up tokens from issued ones without a query to a system that may be unavailable."
    ) { evidence in
        opensNothing(evidence, .forgedToken)
    }

    static let missing = Rule(
        "token-missing", "A missing token gives no access",
        source: "Pugpig test endpoint and test console: Test users; Pitfall 10",
        fix: "Return state=\"stale\" for a verification, and an error for a renewal and for a request for credentials."
    ) { evidence in
        opensNothing(evidence, .missingToken)
    }

    private static func opensNothing(_ evidence: Evidence, _ purpose: ProbePurpose) -> Verdict {
        let requested = evidence.exchanges(purpose).filter { $0.probe.call != .signOut }
        return .each(requested, none: "not tried") { $0.opening }
    }

    static let stale = Rule(
        "token-stale", "An expired token is stale",
        source: "Pugpig protocol: Stale tokens; Pugpig test endpoint and test console: Test users",
        fix: "Return 200 with state=\"stale\": an app then renews its token or asks for a sign-in."
    ) { evidence in
        let requested =
            evidence.verifications().filter { $0.reader.state == .stale }
            + evidence.verifications(.renewed).filter { $0.reader.renewal == .stale }
        return .of(requested, none: "no reader with an expired token is known") { _, exchange in
            guard let response = exchange.response else { return nil }
            if response.status != 200 { return Finding("the HTTP status is \(response.status)", exchange) }
            guard let value = exchange.root?.state, CheckReader.State(rawValue: value) != nil, value != "stale" else {
                return nil
            }
            return Finding("the state is \(value)", exchange)
        }
    }

    static let renewal = Rule(
        "token-renew", "A renewable token returns a new token",
        source: "Pugpig protocol: Sign in and renew; Pugpig test endpoint and test console: Renewal by test users",
        fix: "Return <token>TOKEN</token> from renew_token, as sign-in does."
    ) { evidence in
        renewals(evidence, [.token, .stale]) { $0.token == nil ? "the response has no token" : nil }
    }

    static let renewalEnds = Rule(
        "token-renew-loop", "The renewed token is valid", source: "Pugpig protocol: Stale tokens",
        fix: "Issue a token that passes verification: an app that receives one stale token after another repeats the "
            + "renewal without end."
    ) { evidence in
        let meantGood = evidence.exchanges(.renewed).filter {
            $0.isEvaluable && evidence.reader($0.probe.reader)?.renewal != .stale
        }
        return .each(meantGood, none: "no token was renewed") { exchange in
            guard let response = exchange.response else { return nil }
            if response.status != 200 { return "the HTTP status is \(response.status)" }
            // Another rule reports a document that cannot be read.
            guard let root = exchange.root else { return nil }
            switch root.state {
            case nil: return "the response has no state"
            case "stale": return "the state is stale again"
            case "unknown": return "the state is unknown"
            default: return nil
            }
        }
    }

    static let renewalRejected = Rule(
        "token-renew-refused", "A token that cannot be renewed is refused like a sign-in",
        source: "Pugpig protocol: Sign in and renew; Pugpig test endpoint and test console: Renewal by test users",
        fix: "Return 200 with <error status=\"notrecognised\" message=\"…\"/>; the app then asks for a sign-in."
    ) { evidence in
        renewals(evidence, [.rejected]) { root in
            root.isRejection && root.attributes["status"] == "notrecognised"
                ? nil : "<error status=\"notrecognised\"> is missing"
        }
    }

    private static func renewals(
        _ evidence: Evidence, _ expected: Set<CheckReader.Renewal>, _ problem: (XMLElement) -> String?
    ) -> Verdict {
        let requested = evidence.plain(.renewToken, .renewal).filter { requested in
            requested.exchange.isEvaluable && requested.reader.renewal.map { expected.contains($0) } ?? false
        }
        return .of(requested, none: "no such reader is known, or no response was received") { _, exchange in
            guard let response = exchange.response else { return nil }
            if response.status != 200 { return Finding("the HTTP status is \(response.status)", exchange) }
            return exchange.root.flatMap(problem).map { Finding($0, exchange) }
        }
    }
}
