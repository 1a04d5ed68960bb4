import XML

/// What a cache in between makes of the answers (PITFALLS row 16).
enum SharedCacheRules {
    static let all = [readers]

    static let readers = Rule(
        "shared-cache", "By way of a shared cache no reader sees another's answer", source: "PITFALLS 16",
        fix:
            "Have the endpoint say no-store, and the cache obey it: no rule of the cache's own may keep these paths or leave their query out."
    ) { evidence in
        .each(evidence.exchanges(.throughCache), none: evidence.cacheGap ?? "it was not asked") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if let sign = CacheHit.sign(of: answer) { return "it came out of the cache (\(sign))" }
            guard let name = exchange.probe.reader else { return nil }
            let others = evidence.exchanges(.throughCache).filter { $0.probe.reader != name }
            if let given = exchange.root?.token, others.contains(where: { $0.root?.token.map { [$0] } == [given] }) {
                return "two readers were given one token"
            }
            guard exchange.probe.call == .verifySubscription,
                let own = evidence.verifications().first(where: { $0.reader.name == name })
            else { return nil }
            return Verification(own.exchange) == Verification(exchange)
                ? nil : "it is not what the endpoint itself says"
        }
    }
}
