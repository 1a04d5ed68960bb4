import XML

/// The rules that a malformed request gets a response and reveals nothing.
///
/// Source: Design rules, “Malformed input gets a short response”.
enum MalformedRules {
    static let all = MalformedInput.allCases.map(rule) + [markup, opens, traces]

    private static func rule(_ malformedInput: MalformedInput) -> Rule {
        Rule(
            "malformed-\(malformedInput.rawValue)",
            "A request with \(malformedInput.title) gets a response and no server error",
            source: "Design rules: Malformed input gets a short response; Pitfall 13; Pitfall 15",
            fix: "Return a document of the protocol or a 4xx. Treat bytes that cannot be decoded as literal text, as "
                + "browsers do."
        ) { evidence in
            .eachRequested(
                evidence.exchanges(.malformed(malformedInput)), none: evidence.abortReason ?? "no such request was sent"
            ) { exchange in
                guard let response = exchange.response else { return exchange.summary }
                return response.status >= 500 && !evidence.isOutage(exchange)
                    ? "the HTTP status is \(response.status)" : nil
            }
        }
    }

    static let markup = Rule(
        "malformed-echo", "Markup in a parameter does not become markup of the response", source: "Pitfall 20",
        fix: "Escape all text from outside, in messages and comments too, or leave it out."
    ) { evidence in
        .each(
            evidence.exchanges(.malformed(.markup)),
            none: evidence.abortReason ?? "no response to such a request was received"
        ) { exchange in
            exchange.reading?.formFault.map { "the document is not well-formed: \(Printable.redacted($0))" }
        }
    }

    static let opens = Rule(
        "malformed-opens", "A malformed request gives no access", source: "Pitfall 13; Pitfall 15",
        fix:
            "Query the subscriber system with bound values that are not part of the statement, and let no value mean "
            + "all subscribers."
    ) { evidence in
        .each(evidence.malformed, none: evidence.abortReason ?? "no such request was sent") { $0.opening }
    }

    static let traces = Rule(
        "malformed-traces", "No response shows internal details of the server",
        source: "Design rules: Malformed input gets a short response; Pitfall 20",
        fix: "Turn off the display of errors, and log them instead."
    ) { evidence in
        .eachResponse(evidence.direct, none: "no response was received") { response in
            let text = String(decoding: response.body.prefix(64 << 10), as: UTF8.self)
            return signs.first { text.contains($0) }.map { "the body contains \(Printable.quote($0))" }
        }
    }

    /// Texts that frameworks and databases write for an unhandled error.
    static let signs = [
        "Traceback (most recent call last)", "Fatal error", "Stack trace:", "stack traceback", "<b>Warning</b>:",
        "<b>Notice</b>:", "Undefined index", "Undefined variable", "Undefined array key", "\tat java.", "\tat org.",
        "\tat com.", "Exception in thread", "System.NullReferenceException", "System.Web.", "SQLSTATE[",
        "You have an error in your SQL syntax", "ORA-0", "PG::", "psql:", "goroutine 1 [", "panic: ",
        "node_modules/", "/var/www/", "/usr/share/php", "Whoops, looks like something went wrong",
    ]
}
