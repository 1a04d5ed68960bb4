import XML

/// The rules about the XML documents themselves.
///
/// Source: Pugpig protocol, “Response format”.
enum DocumentRules {
    static let all = [complete, mediaType, encoding, wellFormed, schema]

    private static let none = "no response had a document"

    static let complete = Rule(
        "document-complete", "Every response is complete and has unambiguous framing",
        source: "RFC 9112 section 6; Pitfall 15; Pugpig protocol: State kept by the client",
        fix:
            "Send one correct Content-Length, or chunks with their end, and no bytes after them. Do not close the "
            + "connection before the last byte."
    ) { evidence in
        let requested = evidence.direct.filter { if case .malformed = $0.probe.purpose { false } else { true } }
        return .eachRequested(requested, none: "no request was sent") { exchange in
            guard let response = exchange.response else { return exchange.summary }
            if let flaw = response.flaws.first { return flaw.rawValue }
            let hasStray = response.strayBytes > 0 && exchange.probe.method != "HEAD"
            return hasStray ? "\(response.strayBytes) bytes follow the response" : nil
        }
    }

    static let mediaType = Rule(
        "document-type", "Documents have an XML media type", source: "Pugpig protocol: Response format; RFC 7303",
        fix: "Send “Content-Type: text/xml; charset=utf-8”."
    ) { evidence in
        .of(evidence.documents, none: none) { exchange, _ in
            let written = exchange.response?["Content-Type"]
            let type = (written ?? "").prefix { $0 != ";" }.lowercased().filter { $0 != " " }
            guard !["text/xml", "application/xml"].contains(type) else { return nil }
            return Finding(
                written.map { "Content-Type is \(Printable.quote($0))" } ?? "Content-Type is missing", exchange)
        }
    }

    static let encoding = Rule(
        "document-encoding", "Documents are UTF-8 and declare no other encoding",
        source: "Pugpig protocol: XML declaration; RFC 7303 section 3",
        fix: "Write UTF-8, and declare it in the XML declaration and in the charset of Content-Type, or in neither."
    ) { evidence in
        .of(evidence.documents, none: none) { exchange, reading in
            reading.encodingFault.map { Finding($0, exchange) }
        }
    }

    static let wellFormed = Rule(
        "document-well-formed", "Documents are well-formed XML", source: "Pugpig protocol: Response format; XML 1.0",
        fix: "Write XML with a library that escapes every text: an app that cannot parse a 200 loses the state that it "
            + "stored."
    ) { evidence in
        let readable = evidence.documents.filter {
            $0.reading.encodingFault == nil && $0.exchange.probe.purpose != .malformed(.markup)
        }
        return .of(readable, none: none) { exchange, reading in
            reading.formFault.map { Finding(Printable.redacted($0), exchange) }
        }
    }

    static let schema = Rule(
        "document-schema", "Documents have the elements and attributes of the protocol and no others",
        source: "Pugpig protocol: Sign in and renew; Pugpig protocol: Verify subscription; "
            + "Pugpig protocol: Edition credentials",
        fix: "Compare the document with the schema of its call in the documentation of this check."
    ) { evidence in
        guard let schemas = try? PugpigSchemas() else { return .skipped("the schemas cannot be parsed") }
        let readable = evidence.documents.filter { $0.reading.encodingFault == nil && $0.reading.root != nil }
        return .of(readable, none: none) { exchange, _ in
            guard let call = exchange.probe.call, let body = exchange.response?.body,
                let errors = try? schemas.errors(in: body, of: call), let first = errors.first
            else { return nil }
            return Finding(Printable.redacted(first), exchange)
        }
    }
}
