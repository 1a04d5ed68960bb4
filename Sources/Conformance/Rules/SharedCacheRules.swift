import XML

/// The rule about responses that pass through a shared cache.
///
/// Source: Pitfall 16, “Responses stored by shared caches”.
enum SharedCacheRules {
    static let all = [readers]

    static let readers = Rule(
        "shared-cache", "Through a shared cache, no reader receives another reader's response", source: "Pitfall 16",
        fix:
            "Send no-store from the endpoint, and let the cache obey it. No rule of the cache may store these paths or "
            + "ignore their query."
    ) { evidence in
        .eachRequested(evidence.exchanges(.viaSharedCache), none: evidence.cacheSkipReason ?? "not tried") {
            exchange in
            guard let response = exchange.response else { return exchange.summary }
            if let sign = CacheHit.sign(of: response) { return "the response came from the cache (\(sign))" }
            return crossReaderSign(in: exchange, evidence)
        }
    }

    /// Returns the sign that the response belongs to another reader, or nil if there is none.
    private static func crossReaderSign(in exchange: Exchange, _ evidence: Evidence) -> String? {
        guard let call = exchange.probe.call else { return nil }
        let others = evidence.exchanges(call, .viaSharedCache).filter { $0.probe.reader != exchange.probe.reader }
        let own = evidence.exchanges(call, .ordinary, .notEntitled, .renewal, .renewalAgain).filter {
            $0.probe.reader == exchange.probe.reader && $0.probe.edition == exchange.probe.edition
        }
        // A value that the endpoint itself returns to the reader is not the cache's fault, even if another reader
        // has it too.
        if let issued = keys(in: exchange), others.contains(where: { keys(in: $0) == issued }),
            !own.contains(where: { keys(in: $0) == issued })
        {
            return "two clients received the same \(call == .editionCredentials ? "userid and password" : "token")"
        }
        // The endpoint may reject sign-ins and renewals because of their number, and a failed response contains
        // nothing about a reader.
        guard [.verifySubscription, .editionCredentials].contains(call), hasResponse(exchange),
            let direct = own.first(where: hasResponse)
        else { return nil }
        return Summary(direct) == Summary(exchange) ? nil : "the response differs from that of the endpoint itself"
    }

    private static func hasResponse(_ exchange: Exchange) -> Bool {
        exchange.response.map { $0.status != 429 && $0.status < 500 } ?? false
    }

    /// Returns the values that belong to one reader only: a token, or a userid with its password.
    private static func keys(in exchange: Exchange) -> [String]? {
        exchange.root?.token.map { [$0] } ?? exchange.root?.credentials.map { [$0.userid, $0.password] }
    }
}
