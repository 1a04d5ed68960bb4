import XML

/// A subscriber system that can not answer is not one that says no (PROTOCOLS 1.2, PITFALLS row 9).
enum FailureRules {
    static let all = [direction, retryAfter]

    static let direction = Rule(
        "failure-direction", "A question that can not be answered is a failed call, never a refusal",
        source: "PROTOCOLS 1.2: any 2xx overwrites the last known good state; PITFALLS 9",
        fix:
            "Answer 503: the app then keeps the state it knows, and the reader keeps reading. Where the last known answer is given instead, say in the case which state and issues it has. Refuse credentials, if at all, as notentitled."
    ) { evidence in
        .each(
            evidence.exchanges(.failing).filter { $0.answer != nil },
            none: "no reader is known whose subscriber system fails"
        ) { exchange in
            guard let reader = evidence.reader(exchange.probe.reader) else { return nil }
            return exchange.probe.call == .editionCredentials
                ? blame(in: exchange, on: reader) : news(in: exchange, of: reader)
        }
    }

    /// What an app would take from the answer, although nobody could say it; nil where it keeps what it knows, or is told the last
    /// that was known.
    private static func news(in exchange: Exchange, of reader: CheckReader) -> String? {
        // An app keeps what it knows at any status but a 2xx.
        guard let answer = exchange.answer, answer.isSuccess else { return nil }
        let otherwise = "answered with \(answer.status)"
        guard answer.status == 200, let root = exchange.root else { return otherwise }
        switch exchange.probe.call {
        case .verifySubscription:
            guard let word = root.state else { return otherwise }
            return contradiction(of: word, root.issues, with: reader)
        case .renewToken:
            // A new token refuses nobody, and a server may make one without asking.
            if root.token != nil { return nil }
            guard root.isRefusal else { return otherwise }
            return reader.renewal == .refused ? nil : "the token is refused"
        default: return otherwise
        }
    }

    /// How an answer differs from the last one that was known, which is the one that the case says; nil where it does not.
    private static func contradiction(of word: String, _ list: [String]?, with reader: CheckReader) -> String? {
        guard let state = reader.state else {
            return "answered with 200 and the state \(Printable.told(word)), and the case says none that was known"
        }
        guard word == state.rawValue else { return "the state is \(Printable.told(word)), not \(state.rawValue)" }
        return IssueRules.fault(of: list, for: reader, state: word)
    }

    /// What refused credentials lay on the token, which is as good as it was.
    ///
    /// Nothing else can be demanded of credentials in an outage. A server may fail open and give them to whoever holds a token; where
    /// it does not, the protocol has no word that says why, and whatever else came, an app takes the download for refused and keeps
    /// the state it knows (PROTOCOLS 1.2).
    private static func blame(in exchange: Exchange, on reader: CheckReader) -> String? {
        // Of a token that is bad by itself this may be known without asking anybody.
        guard exchange.root?.error?.attributes["status"] == "notrecognised", reader.state != .stale,
            reader.state != .unknown
        else { return nil }
        return "refused as notrecognised, as if the token were bad"
    }

    static let retryAfter = Rule(
        "failure-retry", "A 503 says when to ask again", source: "DESIGN rule 4; RFC 9110 section 10.2.3",
        fix: "Send Retry-After, so that a push notification does not become a storm."
    ) { evidence in
        let unavailable = evidence.direct.filter { $0.answer?.status == 503 }
        return .eachAnswer(unavailable, none: "nothing was answered with 503", as: .warning) { answer in
            answer["Retry-After"] == nil ? "there is no Retry-After" : nil
        }
    }
}
