import XML

/// The rules that an unavailable subscriber system must not look like a rejection.
///
/// Source: Pugpig protocol, “State kept by the client”; Pitfall 9, “Outage and rejection confused”.
enum FailureRules {
    static let all = [direction, retryAfter]

    static let direction = Rule(
        "failure-direction", "A failed query leads to a failed call, never to a refusal",
        source: "Pugpig protocol: State kept by the client; Pitfall 9",
        fix:
            "Return 503: the app then keeps its stored state, and the reader can continue to read. If the server "
            + "returns the last known result instead, enter its state and issues in the case. If it refuses "
            + "credentials, use the status notentitled."
    ) { evidence in
        .each(
            evidence.exchanges(.failing).filter { $0.response != nil },
            none: "no reader is known whose subscriber system is unavailable"
        ) { exchange in
            guard let reader = evidence.reader(exchange.probe.reader) else { return nil }
            return exchange.probe.call == .editionCredentials
                ? unwarrantedRejection(in: exchange, on: reader) : unexpectedChange(in: exchange, of: reader)
        }
    }

    /// Returns the change that an app would take from the response although the subscriber system was unavailable.
    /// Returns nil if the app keeps its state or receives the last known one.
    private static func unexpectedChange(in exchange: Exchange, of reader: CheckReader) -> String? {
        // An app keeps its state at any status other than 2xx.
        guard let response = exchange.response, response.isSuccess else { return nil }
        let otherwise = "the HTTP status is \(response.status) although the subscriber system is unavailable"
        guard response.status == 200, let root = exchange.root else { return otherwise }
        switch exchange.probe.call {
        case .verifySubscription:
            guard let value = root.state else { return otherwise }
            return contradiction(of: value, root.issues, with: reader)
        case .renewToken:
            // A new token denies nothing, and a server may issue one without a query.
            if root.token != nil { return nil }
            guard root.isRejection else { return otherwise }
            return reader.renewal == .rejected ? nil : "the token is refused"
        default: return otherwise
        }
    }

    /// Returns the difference between a response and the last known state, which is the state in the case, or nil
    /// if there is none.
    private static func contradiction(of value: String, _ list: [String]?, with reader: CheckReader) -> String? {
        guard let state = reader.state else {
            return "the state is \(Printable.redacted(value)), and the case has no last known state"
        }
        guard value == state.rawValue else { return "the state is \(Printable.redacted(value)), not \(state.rawValue)" }
        return IssueRules.fault(of: list, for: reader, state: value)
    }

    /// Returns the complaint that rejected credentials blame a valid token, or nil if they do not.
    ///
    /// No other rule applies to credentials in an outage. A server may fail open and issue credentials to the
    /// holder of a token. If it does not, the protocol has no status for an outage. An app then treats any other
    /// response as a denied download and keeps its state.
    ///
    /// Source: Pugpig protocol, “Statuses other than 200” and “Credentials during an outage”.
    private static func unwarrantedRejection(in exchange: Exchange, on reader: CheckReader) -> String? {
        // A server can detect an invalid token without a query.
        guard exchange.root?.error?.attributes["status"] == "notrecognised", reader.state != .stale,
            reader.state != .unknown
        else { return nil }
        return "refused as notrecognised, as if the token were invalid"
    }

    static let retryAfter = Rule(
        "failure-retry", "A 503 has Retry-After",
        source: "Design rules: An outage is never a rejection; RFC 9110 section 10.2.3",
        fix: "Send Retry-After, so that apps do not all retry at once after a push notification."
    ) { evidence in
        let unavailable = evidence.direct.filter { $0.response?.status == 503 }
        return .eachResponse(unavailable, none: "no response had the status 503", as: .warning) { response in
            response["Retry-After"] == nil ? "Retry-After is missing" : nil
        }
    }
}
