import XML

/// What no app sends is answered all the same, and tells nothing (DESIGN “What bad input gets”).
enum MalformedRules {
    static let all = Malformation.allCases.map(rule) + [markup, opens, traces]

    private static func rule(_ malformation: Malformation) -> Rule {
        Rule(
            "malformed-\(malformation.rawValue)",
            "A request with \(malformation.title) is answered, and is no error of the server",
            source: "DESIGN “What bad input gets”; PITFALLS 13, 15",
            fix: "Answer a document of the protocol or a 4xx; take what can not be decoded literally, as browsers do."
        ) { evidence in
            .eachAsked(
                evidence.exchanges(.malformed(malformation)), none: evidence.silence ?? "none was sent"
            ) { exchange in
                guard let answer = exchange.answer else { return exchange.summary }
                return answer.status >= 500 && !evidence.isOutage(exchange) ? "answered with \(answer.status)" : nil
            }
        }
    }

    static let markup = Rule(
        "malformed-echo", "Markup in a parameter does not become markup of the answer", source: "PITFALLS 20",
        fix: "Escape every text that came from outside, in messages and comments too, or leave it out."
    ) { evidence in
        .each(evidence.exchanges(.malformed(.markup)), none: evidence.silence ?? "none was answered") { exchange in
            exchange.reading?.formFault.map { "the document is broken: \(Printable.told($0))" }
        }
    }

    static let opens = Rule(
        "malformed-opens", "A malformed request opens nothing", source: "PITFALLS 13, 15",
        fix:
            "Ask the subscriber system with values that are bound, not written into the question; take no value for all."
    ) { evidence in
        .each(evidence.malformed, none: evidence.silence ?? "none was sent") { $0.opening }
    }

    static let traces = Rule(
        "malformed-traces", "No answer shows the inside of the server",
        source: "DESIGN “What bad input gets”; PITFALLS 20",
        fix: "Turn the display of errors off, and log them instead."
    ) { evidence in
        .eachAnswer(evidence.direct, none: "nothing was answered") { answer in
            let text = String(decoding: answer.body.prefix(64 << 10), as: UTF8.self)
            return signs.first { text.contains($0) }.map { "the body has \(Printable.quote($0))" }
        }
    }

    /// What frameworks and databases write where they were not caught.
    static let signs = [
        "Traceback (most recent call last)", "Fatal error", "Stack trace:", "stack traceback", "<b>Warning</b>:",
        "<b>Notice</b>:", "Undefined index", "Undefined variable", "Undefined array key", "\tat java.", "\tat org.",
        "\tat com.", "Exception in thread", "System.NullReferenceException", "System.Web.", "SQLSTATE[",
        "You have an error in your SQL syntax", "ORA-0", "PG::", "psql:", "goroutine 1 [", "panic: ",
        "node_modules/", "/var/www/", "/usr/share/php", "Whoops, looks like something went wrong",
    ]
}
