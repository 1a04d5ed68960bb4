import XML

/// The list of editions: absent is everything, empty is nothing (PROTOCOLS 1.2, PITFALLS row 1).
enum IssueRules {
    static let all = [nothing, everything, listed, inactive, unsaid]

    private static let source = "PROTOCOLS 1.2; PITFALLS 1"

    static let nothing = Rule(
        "issues-nothing", "A reader who may have nothing has a list with nothing in it", source: source,
        fix: "Write <issues/>. Left out, it opens the whole catalogue to an active reader."
    ) { evidence in
        judge(evidence, { $0.issues == .nothing }) { _, list in
            guard let list else { return "there is no <issues>, which means everything" }
            return list.isEmpty ? nil : "the list names \(list.count) editions"
        }
    }

    static let everything = Rule(
        "issues-everything", "A reader who may have everything has no list, or one with all that is held",
        source: source, fix: "Leave <issues> out where the subscription opens everything."
    ) { evidence in
        judge(evidence, { $0.issues == .everything }) { reader, list in
            guard let list else { return nil }
            guard reader.state == .active, !list.isEmpty else {
                return "there is an <issues>, which means nothing else"
            }
            let missing = Set(reader.holds).subtracting(list).sorted()
            return missing.first.map { "the list lacks \(Printable.quote($0))" }
        }
    }

    static let listed = Rule(
        "issues-listed", "An active reader's list names what the reader holds, and nothing else", source: source,
        fix: "List exactly the editions that credentials would be given for."
    ) { evidence in
        judge(evidence, { isListed($0) && $0.state == .active }, difference)
    }

    static let inactive = Rule(
        "issues-inactive", "A reader who is not active keeps what the reader holds",
        source: "PROTOCOLS 1.2: inactive users may still hold issues",
        fix: "List what was bought or was current while the subscription ran; a lapsed reader has not given it back."
    ) { evidence in
        judge(evidence, { isListed($0) && $0.state != .active }, difference)
    }

    static let unsaid = Rule(
        "issues-unsaid", "A reader who is not active has a list", source: "PROTOCOLS 6A row 9",
        fix:
            "Write the list, or <issues/>: read literally, no list opens everything to a reader who is inactive. Where that is meant, say “issues: everything” in the case."
    ) { evidence in
        let told = evidence.verifications().filter { reader, exchange in
            reader.issues == nil && ["inactive", "suspended"].contains(exchange.root?.state ?? "")
        }
        return .of(told, none: "no inactive reader is without a word about issues", as: .warning) { _, exchange in
            exchange.root?.issues == nil ? Finding("there is no <issues>", exchange) : nil
        }
    }

    private static func isListed(_ reader: CheckReader) -> Bool {
        if case .listed = reader.issues { true } else { false }
    }

    private static func difference(_ reader: CheckReader, _ list: [String]?) -> String? {
        guard case .listed(let expected)? = reader.issues else { return nil }
        guard let list else { return "there is no <issues>, which means everything" }
        if let missing = expected.subtracting(list).min() { return "the list lacks \(Printable.quote(missing))" }
        if let more = Set(list).subtracting(expected).min() { return "the list names \(Printable.quote(more)) as well" }
        return list.count == expected.count ? nil : "the list names an edition twice"
    }

    private static func judge(
        _ evidence: Evidence, _ isMeant: (CheckReader) -> Bool, _ complaint: (CheckReader, [String]?) -> String?
    ) -> Verdict {
        let told = evidence.verifications().filter { isMeant($0.reader) && $0.exchange.root?.state != nil }
        return .of(told, none: "no such reader is known") { reader, exchange in
            complaint(reader, exchange.root?.issues).map { Finding($0, exchange) }
        }
    }
}
