import XML

/// The documents as documents (PROTOCOLS 1.2).
enum DocumentRules {
    static let all = [complete, mediaType, encoding, wellFormed, schema]

    private static let none = "no document was answered"

    static let complete = Rule(
        "document-complete", "Every answer comes whole, in a frame that can be read one way only",
        source: "RFC 9112 section 6; PITFALLS 15; PROTOCOLS 1.2: a half-built document overwrites what an app knows",
        fix:
            "Send one Content-Length that is true, or chunks with their end, and nothing behind them; do not hang up before the last byte."
    ) { evidence in
        let asked = evidence.direct.filter { if case .malformed = $0.probe.situation { false } else { true } }
        return .eachAsked(asked, none: "nothing was asked") { exchange in
            guard let answer = exchange.answer else { return exchange.summary }
            if let flaw = answer.flaws.first { return flaw.rawValue }
            let hasStray = answer.strayBytes > 0 && exchange.probe.method != "HEAD"
            return hasStray ? "\(answer.strayBytes) more bytes came behind it" : nil
        }
    }

    static let mediaType = Rule(
        "document-type", "Documents say that they are XML", source: "PROTOCOLS 1.2; RFC 7303",
        fix: "Send “Content-Type: text/xml; charset=utf-8”."
    ) { evidence in
        .of(evidence.documents, none: none) { exchange, _ in
            let written = exchange.answer?["Content-Type"]
            let type = (written ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
            guard !["text/xml", "application/xml"].contains(type) else { return nil }
            return Finding(
                written.map { "Content-Type is \(Printable.quote($0))" } ?? "there is no Content-Type", exchange)
        }
    }

    static let encoding = Rule(
        "document-encoding", "Documents are UTF-8, and say nothing else", source: "PROTOCOLS 1.2; RFC 7303 section 3",
        fix: "Write UTF-8, and say so in the XML declaration and in the charset of Content-Type, or in neither."
    ) { evidence in
        .of(evidence.documents, none: none) { exchange, reading in
            reading.encodingFault.map { Finding($0, exchange) }
        }
    }

    static let wellFormed = Rule(
        "document-well-formed", "Documents are well-formed XML", source: "PROTOCOLS 1.2; XML 1.0",
        fix: "Write XML with a library that escapes every text; an app that can not read a 200 has lost what it knew."
    ) { evidence in
        let readable = evidence.documents.filter {
            $0.reading.encodingFault == nil && $0.exchange.probe.situation != .malformed(.markup)
        }
        return .of(readable, none: none) { exchange, reading in
            reading.formFault.map { Finding(Printable.told($0), exchange) }
        }
    }

    static let schema = Rule(
        "document-schema", "Documents have the elements and attributes of the protocol, and no others",
        source: "PROTOCOLS 1.2",
        fix: "Compare the document with the schema of its call, which the documentation of this check prints."
    ) { evidence in
        guard let schemas = try? PugpigSchemas() else { return .skipped("the schemas can not be read") }
        let readable = evidence.documents.filter { $0.reading.encodingFault == nil && $0.reading.root != nil }
        return .of(readable, none: none) { exchange, _ in
            guard let call = exchange.probe.call, let body = exchange.answer?.body,
                let errors = try? schemas.errors(in: body, of: call), let first = errors.first
            else { return nil }
            return Finding(Printable.told(first), exchange)
        }
    }
}
