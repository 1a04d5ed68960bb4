import XML

/// What a cache in between makes of the answers (PITFALLS row 16).
enum SharedCacheRules {
    static let all = [readers]

    static let readers = Rule(
        "shared-cache", "By way of a shared cache no reader sees another's answer", source: "PITFALLS 16",
        fix:
            "Have the endpoint say no-store, and the cache obey it: no rule of the cache's own may keep these paths or leave their query out."
    ) { evidence in
        .eachAsked(evidence.exchanges(.throughCache), none: evidence.cacheGap ?? "it was not asked") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if let sign = CacheHit.sign(of: answer) { return "it came out of the cache (\(sign))" }
            return mixture(in: exchange, evidence)
        }
    }

    /// What shows that it is an answer to somebody else; nil where nothing does.
    private static func mixture(in exchange: Exchange, _ evidence: Evidence) -> String? {
        guard let call = exchange.probe.call else { return nil }
        let others = evidence.exchanges(call, .throughCache).filter { $0.probe.reader != exchange.probe.reader }
        let own = evidence.exchanges(call, .ordinary, .unheld, .renewal, .renewalAgain).filter {
            $0.probe.reader == exchange.probe.reader && $0.probe.edition == exchange.probe.edition
        }
        // What the endpoint itself gives the reader is not the cache's doing, though others have it too.
        if let given = keys(in: exchange), others.contains(where: { keys(in: $0) == given }),
            !own.contains(where: { keys(in: $0) == given })
        {
            return "two who asked were given one \(call == .editionCredentials ? "userid and password" : "token")"
        }
        // Sign-ins and renewals may be refused, because there were enough of them; and who could not answer said nothing of anybody.
        guard [.verifySubscription, .editionCredentials].contains(call), isAnswered(exchange),
            let direct = own.first(where: isAnswered)
        else { return nil }
        return Gist(direct) == Gist(exchange) ? nil : "it is not what the endpoint itself says"
    }

    private static func isAnswered(_ exchange: Exchange) -> Bool {
        exchange.answer.map { $0.status != 429 && $0.status < 500 } ?? false
    }

    /// What one reader alone may be given: a token, or a userid with its password.
    private static func keys(in exchange: Exchange) -> [String]? {
        exchange.root?.token.map { [$0] } ?? exchange.root?.credentials.map { [$0.userid, $0.password] }
    }
}
